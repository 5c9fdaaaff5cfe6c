import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expandPath } from '../files/paths.ts';
import { readRegularFileSync } from '../files/regular-file.ts';
import { isRecord } from '../values.ts';

const ADAPTER_PACKAGE_PREFIX = 'agent-mux-adapter-';

const MANIFEST_LIMIT = 1024 * 1024;
const ENTRY_FILES = ['index.js', 'index.mjs', 'index.cjs', 'index.ts'];

/** A path is relative to the file that contains it; anything else is a package. */
export function isAdapterPath(from: string): boolean {
  return /^(?:\.{1,2}(?:[\\/]|$)|[\\/~]|[A-Za-z]:[\\/])/.test(from);
}

/** `acme` is short for `agent-mux-adapter-acme`; names with the prefix or a scope are used unchanged. */
export function nameAdapterPackage(name: string): string {
  return name.startsWith('@') || name.startsWith(ADAPTER_PACKAGE_PREFIX) ? name : `${ADAPTER_PACKAGE_PREFIX}${name}`;
}

/**
 * Resolves the file to load. A package is looked up from the file that names it, then from agent-mux itself (for global
 * installations). Never from the current folder, whose code is not trusted.
 */
export function findAdapter(from: string, namedIn: string, env: NodeJS.ProcessEnv = process.env): string {
  if (isAdapterPath(from)) return entryOf(expandPath(from, env, dirname(namedIn)));
  const name = nameAdapterPackage(from);
  let failure: unknown;
  for (const base of [namedIn, import.meta.url]) {
    try {
      return createRequire(base).resolve(name);
    } catch (error) {
      // An error from an existing package is more useful than a missing package.
      if (!isMissing(error) || failure === undefined) failure = error;
    }
  }
  if (isMissing(failure)) throw new Error(`the package ${name} is not installed`);
  throw failure;
}

function isMissing(error: unknown): boolean {
  return isRecord(error) && error.code === 'MODULE_NOT_FOUND';
}

function entryOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new Error(`${path} does not exist`);
  if (!stat.isDirectory()) return path;
  const manifest = join(path, 'package.json');
  if (existsSync(manifest)) {
    const { name, exports, main } = manifestOf(manifest);
    // Resolves the package by its own name, which gives exactly what others would get.
    if (typeof name === 'string' && exports !== undefined) return createRequire(manifest).resolve(name);
    if (typeof main === 'string') return join(path, main);
  }
  const file = ENTRY_FILES.map((each) => join(path, each)).find((each) => existsSync(each));
  if (!file) throw new Error(`${path} has neither a package.json with exports or main, nor ${ENTRY_FILES.join(', ')}`);
  return file;
}

function manifestOf(file: string): Record<string, unknown> {
  const content: unknown = JSON.parse(readRegularFileSync(file, { limit: MANIFEST_LIMIT }).toString('utf8'));
  return isRecord(content) ? content : {};
}
