import { readVersion } from '../../src/binaries/version.ts';

/** A host that queries this command for its version. */
const [command = ''] = process.argv.slice(2);
await readVersion({ command, env: { PATH: process.env.PATH ?? '' } });
