"""What several games share: counting cards, whose turn it is, reading claims."""
