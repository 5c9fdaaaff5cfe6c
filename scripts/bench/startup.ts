/** What it costs to be there: the memory of an engine with one adapter. Of what is built. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Row } from './row.ts';

const SDK = join(import.meta.dirname, '../../packages/agent-mux/dist/index.js');
const PSS = `const pss = () => Number(/^Pss:\\s+(\\d+)/m.exec(require('node:fs').readFileSync('/proc/self/smaps_rollup', 'utf8'))[1]) / 1024;`;
const BARE = `${PSS} console.log(pss())`;
const LOADED = `${PSS} import(${JSON.stringify(SDK)}).then((mux) => { mux.createClient().adapters.get('claude'); console.log(pss()); })`;

/** Linux tells it; elsewhere there is no row. */
export async function startupRows(scratch: string): Promise<Row[]> {
  if (process.platform !== 'linux') return [];
  const env = { PATH: process.env.PATH, HOME: scratch, NODE_COMPILE_CACHE: join(scratch, 'compiled') };
  const megabytes = (script: string): number =>
    Number(spawnSync(process.execPath, ['-e', script], { cwd: scratch, env, encoding: 'utf8' }).stdout);
  // The first one fills the cache of compiled code.
  megabytes(LOADED);
  const [bare, loaded] = [megabytes(BARE), megabytes(LOADED)];
  const detail = `${bare.toFixed(0)} MB a bare node, ${loaded.toFixed(0)} MB`;
  return [{ name: 'engine and one adapter, over a bare node', value: loaded - bare, unit: 'MB', target: 15, detail }];
}
