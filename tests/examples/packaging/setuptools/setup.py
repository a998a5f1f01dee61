import subprocess

import pkwrap
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class WrapAndBuild(build_ext):
    def run(self):
        subprocess.run(["pkwrap", "generate", "wave.json", "-o", "."], check=True)
        super().run()


setup(
    ext_modules=[Extension("wave", ["wave_wrap.c", "wave.c"], depends=["wave.h", "wave.json"],
                           include_dirs=[pkwrap.get_include(), "."], define_macros=[("PKW_API_BY_IMPORT", None)])],
    cmdclass={"build_ext": WrapAndBuild},
    py_modules=[],
)
