"""Folders of one's own RTL, far from this tree: what lint and CMake make of them."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ONE = "AAU, 32 slots, 8 arms, 1 lane"


class OwnRtl(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        done = self.copy(self.folder, ROOT / "rtl/examples/move_time.patch")
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.folder}/aau_cost.sv\n"), done.stderr)
        listed = self.folder / "sources.txt"
        listed.write_text("# an example\n\n" + listed.read_text().replace("aau/lint.vlt\n", ""))  # and no lint.vlt

    def copy(self, *arguments):
        return subprocess.run([sys.executable, ROOT / "rtl/copy_unit.py", *arguments], capture_output=True, text=True, cwd="/", check=False)

    def lint(self, folder=None):
        return subprocess.run([sys.executable, ROOT / "rtl/synthesis/flow.py", "lint", str(folder or self.folder), "--only", ONE],
                              capture_output=True, text=True, cwd="/", check=False)

    def cmake(self, folder=None):
        project = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, project)
        (project / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(own NONE)\ninclude({ROOT}/rtl/sources.cmake)\n"
            f'armature_rtl_sources({folder or self.folder} sources waivers)\nmessage("${{sources}}|${{waivers}}")\n')
        return subprocess.run(["cmake", "-S", project, "-B", project / "build"], capture_output=True, text=True, check=False)

    def test_a_folder_anywhere_without_waivers_of_its_own(self):
        done = self.lint()
        self.assertEqual((done.returncode, done.stdout), (0, f"clean: {ONE}\n"), done.stderr)
        done = self.cmake()
        self.assertEqual(done.returncode, 0, done.stderr)
        sources, waivers = (part.strip().split(";") for part in done.stderr.split("|"))
        self.assertEqual(waivers, [f"{ROOT}/rtl/aau/lint.vlt"])
        self.assertIn(f"{self.folder}/aau_cost.sv", sources)
        self.assertIn(f"{ROOT}/rtl/regs/aau_regs_pkg.sv", sources)
        self.assertNotIn(f"{ROOT}/rtl/aau/aau_cost.sv", sources)

    def test_absolute_names_and_waivers_of_ones_own(self):
        listed = self.folder / "sources.txt"
        listed.write_text(listed.read_text().replace("aau/aau_pkg.sv", f"{ROOT}/rtl/aau/aau_pkg.sv"))
        shutil.copy(ROOT / "rtl/aau/lint.vlt", self.folder)
        done = self.cmake()
        self.assertEqual(done.stderr.split("|")[1].strip(), f"{self.folder}/lint.vlt")
        self.assertEqual(self.lint().returncode, 0)

    def test_a_copy_of_all_files_is_the_unit(self):
        whole = self.folder / "whole"
        self.assertEqual(self.copy(whole).returncode, 0)
        for original in (ROOT / "rtl/aau").glob("*.sv"):
            self.assertEqual((whole / original.name).read_bytes(), original.read_bytes())
        self.assertEqual((whole / "sources.txt").read_text().split(),
                         ["aau/lint.vlt", "aau/probes.vlt", *(ROOT / "rtl/aau/sources.txt").read_text().replace("../", "").split()])
        done = self.lint(whole)
        self.assertEqual((done.returncode, done.stdout), (0, f"clean: {ONE}\n"), done.stderr)

    def test_a_copy_refuses_what_it_would_spoil(self):
        before = (self.folder / "aau_cost.sv").read_bytes()
        patch = self.folder / "own.patch"
        for text, message in (("", "a patch of files in rtl/aau is needed"),
                              ("--- a/rtl/cha/x.sv\n+++ b/rtl/cha/x.sv\n", "not of b/rtl/cha/x.sv"),
                              ("--- a/rtl/aau/aau_cost.sv\n+++ b/rtl/aau/aau_cost.sv\n@@ -1 +1 @@\n-module no;\n+module yes;\n",
                               "does not apply to rtl/aau")):
            patch.write_text(text)
            done = self.copy("--force", self.folder, patch)
            self.assertEqual(done.returncode, 2, text)
            self.assertIn(message, done.stderr)
        for arguments, message in (((self.folder,), "holds RTL already; --force"), ((self.folder / "new", "/nowhere.patch"), "no file /nowhere.patch")):
            done = self.copy(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)
        self.assertEqual((self.folder / "aau_cost.sv").read_bytes(), before)
        self.assertFalse((self.folder / "new").exists())

    def test_a_finding_is_shown(self):
        own = self.folder / "aau_cost.sv"
        own.write_text(own.read_text().replace("endmodule", "  logic planted;\nendmodule"))
        done = self.lint()
        self.assertEqual(done.returncode, 1)
        self.assertIn("planted", done.stdout)

    def test_errors_say_what_to_do(self):
        for done in (self.lint("/nowhere"), self.cmake("/nowhere")):
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("/nowhere: there is no sources.txt, which lists the RTL's files", " ".join(done.stderr.split()))
        listed = self.folder / "sources.txt"
        listed.write_text("aau/aau_pkg.sv\naau_cots.sv\n")
        for done in (self.lint(), self.cmake()):
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("sources.txt:2: there is no file aau_cots.sv, neither in", " ".join(done.stderr.split()))
        self.assertEqual(self.lint("/nowhere").returncode, 2)
        done = subprocess.run([ROOT / "armature", "rtl", "bench", "/nowhere"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere: there is no sources.txt", done.stderr)


if __name__ == "__main__":
    unittest.main()
