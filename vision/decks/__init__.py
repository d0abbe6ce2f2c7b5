"""Build and test a deck's references: enrolled cards, labelled photos, designs compared."""
