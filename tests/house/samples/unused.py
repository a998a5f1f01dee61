import os


def append(item, items=[]):
    items.append(item)
    return items
