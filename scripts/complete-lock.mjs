// Adds to package-lock.json the optional packages of other platforms that a registry did not offer when it was written:
// `npm ci` refuses a lock file without them, though it would install none of them here. Run it after `npm install`.
import { readFileSync, writeFileSync } from 'node:fs';

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
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} packages of other platforms added`);
