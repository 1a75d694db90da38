// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a WASI program that needs no files: node run.mjs PROGRAM.wasm
import { readFile } from 'node:fs/promises';
import { argv, exit } from 'node:process';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: [argv[2]], env: {}, returnOnExit: true });
const module = await WebAssembly.compile(await readFile(argv[2]));
exit(wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject())));
