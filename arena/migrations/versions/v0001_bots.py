"""Start with the table of registered bots."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "bots",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("version", sa.String, nullable=False),
        sa.Column("command", sa.JSON, nullable=False),
        sa.Column("folder", sa.String, nullable=False),
        sa.Column("registered", sa.String, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("bots")
