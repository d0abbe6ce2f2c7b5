"""A drawn table: cloth, cards, light, noise and hands, as a camera above it would see them."""
