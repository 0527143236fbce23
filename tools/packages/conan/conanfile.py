"""Conan recipe of the libraries: conan create tools/packages/conan. The sources are the tree that it is in."""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir


class TrommelConan(ConanFile):
    name = "trommel"
    description = "Counting filters at the speed of plain Bloom filters"
    license = "Apache-2.0"
    topics = ("bloom-filter", "counting-bloom-filter", "simd", "probabilistic-data-structures")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "executor": [True, False],  # spreads batches over threads; needs oneTBB
        "c": [True, False],  # the C library, too
    }
    default_options = {"shared": False, "executor": True, "c": True}
    root = os.path.join("..", "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, self.root, "engine/include/trommel/version.h"))
        self.version = re.search(r'TROMMEL_VERSION_STRING "([^"]+)"', header).group(1)

    def export_sources(self):
        tree = os.path.join(self.recipe_folder, self.root)
        for pattern in ("CMakeLists.txt", "*.md", "LICENSE", "engine/*", "kernels/*", "tools/cmake/*"):
            copy(self, pattern, src=tree, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        # Of these two, headers alone are compiled in: no consumer needs them.
        self.requires("highway/1.2.0", visible=False)
        self.requires("xxhash/0.8.2", visible=False)
        if self.options.executor:
            self.requires("onetbb/2021.12.0")

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TROMMEL_LIBRARY_ONLY"] = True
        toolchain.cache_variables["TROMMEL_EXECUTOR"] = bool(self.options.executor)
        toolchain.cache_variables["TROMMEL_BUILD_C"] = bool(self.options.c)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        # Conan writes what find_package and pkg-config read.
        for folder in ("lib/cmake", "lib/pkgconfig", "share"):
            rmdir(self, os.path.join(self.package_folder, folder))

    def package_info(self):
        core = self.cpp_info.components["core"]
        core.libs = ["trommel"]
        core.requires = ["onetbb::libtbb"] if self.options.executor else []
        core.set_property("cmake_target_name", "trommel::trommel")
        core.set_property("pkg_config_name", "trommel")
        if self.options.c:
            c = self.cpp_info.components["c"]
            c.libs = ["trommel_c"]
            c.set_property("cmake_target_name", "trommel::c")
            c.set_property("pkg_config_name", "trommel_c")
