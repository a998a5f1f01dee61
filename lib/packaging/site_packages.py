"""Prints the folder below a prefix that packages of this interpreter go to: python3 site_packages.py [PREFIX].

Without a prefix, the interpreter's own. With one: the folder there that it imports from (Debian's dist-packages below /usr and
/usr/local, the user's site-packages below ~/.local), else lib/pythonX.Y/site-packages.
"""

import os
import site
import sys
import sysconfig


def site_packages(prefix):
    if not prefix:
        return sysconfig.get_path("platlib")
    prefix = os.path.abspath(os.path.expanduser(prefix))
    for folder in [*site.getsitepackages(), site.getusersitepackages()]:
        if folder.startswith(os.path.join(prefix, "lib/python")):
            return folder
    return sysconfig.get_path("platlib", "posix_prefix", {"base": prefix, "platbase": prefix})


if __name__ == "__main__":
    print(site_packages(sys.argv[1] if len(sys.argv) > 1 else ""))
