"""A deck's references, made and judged: enrolled cards, labelled photos, designs compared."""
