"""Alembic's entry: runs the steps on the connection, and in the transaction, of the store."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], render_as_batch=True)
context.run_migrations()
