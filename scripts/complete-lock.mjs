// Adds to package-lock.json the optional packages of other platforms that a registry did not offer when it was written:
// `npm ci` refuses a lock file without them, though it would install none of them here. Run it after `npm install`.
// With --integrity it also asks the registry that npm is set up with for every hash that is missing, and takes what it got off
// scripts/lock-without-integrity.json, the list of what the check lets pass.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const OS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const CPU = [
  'arm64',
  'arm',
  'armv7',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'ppc64le',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];

let added = 0;
for (const [parent, { optionalDependencies = {}, dev, devOptional }] of Object.entries({ ...lock.packages })) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const path = `node_modules/${name}`;
    if (lock.packages[path] || lock.packages[`${parent}/${path}`]) continue;
    const words = name.split(/[-/]/);
    lock.packages[path] = {
      version: version.replace(/^[\^~]/, ''),
      cpu: words.filter((word) => CPU.includes(word)),
      ...(dev || devOptional ? { dev: true } : {}),
      optional: true,
      os: words.filter((word) => OS.includes(word)),
    };
    added += 1;
  }
}
const isUnchecked = ([path, entry]) => path.includes('node_modules/') && !entry.link && !entry.integrity;
const specOf = ([path, entry]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${entry.version}`;
const failed = [];
if (process.argv.includes('--integrity')) {
  for (const each of Object.entries(lock.packages).filter(isUnchecked)) {
    const asked = ['view', specOf(each), 'dist.integrity', '--json'];
    const { stdout } = await promisify(execFile)('npm', asked).catch(() => ({ stdout: 'null' }));
    const integrity = JSON.parse(stdout || 'null');
    if (typeof integrity === 'string' && integrity.startsWith('sha512-')) each[1].integrity = integrity;
    else failed.push(specOf(each));
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
const left = Object.entries(lock.packages).filter(isUnchecked).map(specOf);
const pending = new URL('lock-without-integrity.json', import.meta.url);
const listed = JSON.parse(readFileSync(pending, 'utf8'));
writeFileSync(
  pending,
  `${JSON.stringify(
    listed.filter((each) => left.includes(each)),
    null,
    2,
  )}\n`,
);
console.log(`${added} packages of other platforms added, ${left.length} without an integrity`);
if (failed.length > 0) {
  console.error(`the registry reported no integrity for ${failed.join(', ')}`);
  process.exitCode = 1;
}
