"""A table that is drawn: cloth, cards, light, noise and hands, as a camera above it would see
them."""
