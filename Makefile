# Two commands do everything on a fresh Debian 12: `make demo` and `make test`. The rest is for those
# who change the code; `make help` lists it. Everything is written below build/ and out/.
.DEFAULT_GOAL := help
.PHONY: help demo test long build debug asan tsan fuzz bench bench-check bands contact motion volumes gallery pictures docs site format tidy install clean

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
DEMO ?= scenes/humanoid.json
# clang takes half of g++'s time and comes to the same bits. `make CXX=g++ build`, from nothing, takes another.
# Looked for each time it is asked, because `deps-...` may just have installed it.
ifeq ($(origin CXX),default)
CXX = $(or $(shell command -v clang++-19),g++)
endif
export CXX
sources = $(shell find src tests examples bench -name '*.cpp' -o -name '*.h' 2>/dev/null)

# $(call compile,preset[,build options])
define compile
	@mkdir -p build && CXX=$(if $(filter asan tsan,$(1)),g++,$(CXX)) cmake --preset $(1) >build/configure-$(1).log 2>&1 || { cat build/configure-$(1).log; exit 1; }
	cmake --build --preset $(1) -j $(JOBS) $(2)
endef

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 20

# Asked every time: it takes a moment, and a remembered answer may be wrong tomorrow.
deps-%:
	@cmake/install-deps $*

demo: deps-demo  ## install what is missing, build, simulate a scene, say where the page that plays it lies
	$(call compile,release,--target sinew)
	@echo
	build/release/bin/sinew run $(DEMO) -o out/demo
	@echo
	@echo "Done. $(DEMO) was simulated. To see it, open $(CURDIR)/out/demo/index.html in a browser."
	@echo "Beside it lie:"
	@echo "  trajectory.csv   the pose of every body, one row per frame"
	@echo "  series.csv       energies, momenta, joint angles, torques and loads over time"
	@echo "  summary.json     the run in numbers"
	@echo "  scene.json       the scene as it was run"
	@echo "Next: build/release/bin/sinew view scenes/hand.json, or --help"

test: deps-test  ## install what is missing, build, run every test
	$(call compile,release)
	ctest --preset release -j $(JOBS)

long: deps-test  ## the tests that take minutes
	$(call compile,release)
	ctest --test-dir build/release -L long --verbose

build: deps-build  ## build the release
	$(call compile,release)

debug: deps-build  ## build and test with asserts and debug information
	$(call compile,debug)
	ctest --preset debug -j $(JOBS)

asan: deps-build  ## build and test with the address and undefined-behaviour sanitizers
	$(call compile,asan)
	ctest --preset asan -j $(JOBS)

# The tests that start threads, or have the engine do so, are those of determinism.
# Address randomisation of newer kernels is more than g++ 12's thread sanitizer can bear.
tsan: deps-build  ## run simulations in threads under the thread sanitizer
	$(call compile,tsan,--target sinew_determinism)
	$$(setarch -R true 2>/dev/null && echo setarch -R) ctest --preset tsan -j $(JOBS) -R '^determinism'

# How long each fuzzer looks, in seconds, and which ones do: a regular expression of names such as 'bvh|scene'.
SECONDS_EACH ?= 300
ONLY ?= .
fuzz: deps-fuzz  ## look for files that break a reader, five minutes each (SECONDS_EACH, ONLY)
	cmake --preset fuzz -DSINEW_FUZZ_SECONDS=$(SECONDS_EACH)
	cmake --build --preset fuzz -j $(JOBS)
	ctest --preset fuzz -j $(JOBS) -R 'fuzz\.($(ONLY))'

# A build folder of its own, so that the other targets do not come to need the other engines.
bench: deps-bench  ## install the other engines, build and run the benchmarks, draw the figures (half an hour)
	cmake --preset bench
	cmake --build --preset bench -j $(JOBS) --target bench

# Only the instructions of steps, counted by valgrind: what else the machine does makes no difference.
UPDATE ?=
bench-check: deps-count  ## count the instructions of ten cases and compare with bench/counts.txt (UPDATE=1 writes it anew)
	cmake --preset bench
	cmake --build --preset bench -j $(JOBS) --target bench_count_cases
	python3 -B bench/check_counts.py build/bench/bench/bench_count_cases --jobs $(JOBS) $(if $(UPDATE),--update)

bands: deps-build  ## measure what the slow band of Armstrong and Green saves, print the tables of docs/bands.md
	cmake --preset bench
	cmake --build --preset bench -j $(JOBS) --target bench_bands
	@mkdir -p out/bench
	build/bench/bench/bench_bands >out/bench/bands.md
	@cat out/bench/bands.md
	python3 bench/plot_bands.py

contact: deps-bench  ## measure what contact costs beside Bullet, ODE and MuJoCo, print the tables of docs/benchmarks_contact.md
	cmake --preset bench
	cmake --build --preset bench -j $(JOBS) --target bench_contact
	@mkdir -p out/bench
	build/bench/bench/bench_contact >out/bench/contact.md
	@cat out/bench/contact.md

motion: deps-build  ## measure what planning motions costs, print the tables of docs/spacetime.md
	cmake --preset bench
	cmake --build --preset bench -j $(JOBS) --target bench_optimize
	@mkdir -p out/bench
	build/bench/bench/bench_optimize >out/bench/motion.md
	@cat out/bench/motion.md

volumes: deps-build  ## measure what bounding volumes fit, cost and reject, print the tables of docs/collision.md
	cmake --preset bench
	cmake --build --preset bench -j $(JOBS) --target bench_volumes
	@mkdir -p out/bench
	build/bench/bench/bench_volumes >out/bench/volumes.md
	@cat out/bench/volumes.md

# Pictures of the first second: later many a motion has come to rest.
gallery: deps-gallery  ## simulate and draw every scene, write the page that leads to them, out/gallery/index.html
	$(call compile,release,--target sinew)
	@set -e; folders=; for scene in scenes/*.json; do \
	    folder=out/gallery/$$(basename $$scene .json); folders="$$folders $$folder"; \
	    build/release/bin/sinew run $$scene -o $$folder; \
	    build/release/bin/sinew render $$folder -o $$folder/preview.png --size 960x540 --time 1; \
	    build/release/bin/sinew render $$folder -o $$folder/preview_dark.png --size 960x540 --time 1 --dark; \
	done; node web/gallery.mjs out/gallery $$folders

pictures: deps-gallery  ## draw the pictures of the documentation anew
	$(call compile,release,--target sinew)
	build/release/bin/sinew render scenes/humanoid.json -o docs/figures/humanoid.png --duration 2.4 --strip 5 --size 320x300
	build/release/bin/sinew render scenes/hand.json -o docs/figures/hand.png --duration 8 --from 3 --strip 5 --size 320x200
	build/release/bin/sinew render scenes/finger.json -o docs/figures/finger.png --duration 3 --from 1.95 --to 2.75 --strip 5 --size 320x200
	build/release/bin/sinew render scenes/strand.json -o docs/figures/strand.png --duration 2.8 --from 0.4 --strip 5 --size 320x240
	build/release/bin/sinew render scenes/stairs.json -o docs/figures/stairs.png --duration 2.6 --from 0.2 --strip 5 --size 320x300
	build/release/bin/sinew render scenes/necklace.json -o docs/figures/necklace.png --duration 2.4 --strip 5 --size 320x240
	@mkdir -p out/limp
	build/release/bin/sinew convert tests/data/held_person.json out/limp/person.glb --skeleton
	build/release/bin/sinew bake out/limp/person.glb --dynamic '*' --stiffness 0 --ground 0 --duration 3 --mass 70 --table winter -o out/limp/limp.glb
	build/release/bin/sinew render out/limp/limp.glb -o docs/figures/limp.png --to 2 --strip 6 --size 320x300
	@mkdir -p out/bake
	python3 -B examples/assets/make_hero.py out/bake/hero.glb
	python3 -B examples/assets/make_hero.py out/bake/tail.glb --parts tail
	python3 -B examples/assets/make_hero.py out/bake/man.glb --parts ""
	build/release/bin/sinew bake out/bake/hero.glb --preset hair --preset cape --preset skirt --loop -o out/bake/clothes.glb
	build/release/bin/sinew render out/bake/clothes.glb --clip 'Run physics' -o docs/figures/bake_clothes.png --strip 6 --size 260x330 --azimuth 115
	build/release/bin/sinew bake out/bake/tail.glb --preset tail --loop -o out/bake/tail_run.glb
	build/release/bin/sinew render out/bake/tail_run.glb --clip 'Run physics' -o docs/figures/bake_tail.png --strip 6 --size 260x300 --azimuth 90
	build/release/bin/sinew bake out/bake/man.glb --clip Walk --preset ragdoll --repeat --duration 3 --hit Chest,1,0,0,60 -o out/bake/hit.glb
	build/release/bin/sinew render out/bake/hit.glb --clip 'Walk physics' -o docs/figures/bake_hit.png --from 0.95 --to 1.6 --strip 6 --size 260x360 --azimuth 90
	build/release/bin/sinew bake out/bake/man.glb --clip Walk --preset limp --from 0.5 --repeat --duration 5 --ground 0 --then Run,2.5,1 -o out/bake/up.glb
	build/release/bin/sinew render out/bake/up.glb --clip 'Walk physics' -o docs/figures/bake_up.png --to 4.6 --strip 8 --size 200x280 --azimuth 60
	sed 's/\[0, 0, -50\]/[0, 0, 300]/' scenes/standing.json >out/stepping.json
	build/release/bin/sinew render out/stepping.json -o docs/figures/standing.png --from 1 --to 2.4 --strip 5 --size 320x300 --azimuth 65
	build/release/bin/sinew render scenes/walk.json -o docs/figures/walk.png --duration 4 --from 2 --to 3.6 --strip 5 --size 320x300 --azimuth 65
	build/release/bin/sinew render scenes/cabinet.json -o docs/figures/cabinet.png --from 1.2 --to 3.7 --strip 5 --size 320x300
	build/release/bin/sinew render scenes/hair.json -o docs/figures/hair.png --from 0.3 --to 1.5 --strip 5 --size 320x300
	build/release/bin/sinew render scenes/tree.json -o docs/figures/tree.png --to 6 --strip 5 --size 320x300
	build/release/bin/sinew render scenes/robot.json -o docs/figures/robot.png --strip 6 --size 260x320
	build/release/bin/sinew render scenes/throw_ball.json -o docs/figures/throw_ball.png --strip 5 --size 320x300 --from 0.9 --duration 2
	build/release/bin/sinew render scenes/get_up.json -o docs/figures/get_up.png --strip 6 --size 270x260 --to 7.5 --azimuth 65
	build/release/bin/sinew render scenes/dive.json -o docs/figures/dive.png --strip 6 --size 270x400
	build/release/bin/sinew optimize scenes/luxo.json -o out/luxo
	build/release/bin/sinew render out/luxo -o docs/figures/luxo.png --from 0.2 --to 1.2 --strip 8 --size 240x240 --azimuth 0 --elevation 8

docs: deps-docs  ## write the C++ API pages to build/docs
	@mkdir -p build/docs
	doxygen docs/Doxyfile
	@echo "API pages: $(CURDIR)/build/docs/html/index.html"

# A part of every scene's motion is enough to play with; live mode goes on from there.
site: deps-site  ## write the documentation as a searchable site with scenes that run in it, build/site/index.html
	$(call compile,release,--target sinew)
	@set -e; rm -rf build/site build/site_runs; for scene in scenes/*.json; do \
	    build/release/bin/sinew run $$scene -o build/site_runs/$$(basename $$scene .json) --duration 4 >build/site_run.log 2>&1 \
	        || { cat build/site_run.log; exit 1; }; \
	done
	python3 -B docs/site/make_site.py build/site --live build/site_runs --reference build/docs/html
	@echo "The site is $(CURDIR)/build/site/index.html. To search it, serve it: python3 -m http.server -d build/site"

format: deps-style  ## lay out every source file with clang-format
	clang-format -i $(sources)

tidy: deps-style  ## run clang-tidy over src
	@cmake -S . -B build/tidy -G Ninja -DSINEW_TESTS=OFF -DSINEW_EXAMPLES=OFF -DSINEW_WERROR=OFF -DSINEW_UNITY=OFF \
	    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null  # clang cannot read g++'s
	find src -name '*.cpp' | xargs -P $(JOBS) -n 1 \
	    clang-tidy -p build/tidy --quiet --extra-arg=-Wno-unknown-warning-option

install: build  ## install the library and the command below PREFIX (default /usr/local)
	cmake --install build/release --prefix $(PREFIX)

clean:  ## remove build/ and out/
	rm -rf build out
