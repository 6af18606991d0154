"""Add the tokens of remote bots."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "tokens",
        sa.Column("bot", sa.String, primary_key=True),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("made", sa.String, nullable=False),
        sa.Column("last_seen", sa.String, nullable=True),
    )


def downgrade() -> None:
    op.drop_table("tokens")
