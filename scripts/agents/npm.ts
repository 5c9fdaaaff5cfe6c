import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { delimiter, dirname } from 'node:path';

const LIMIT_MS = 10 * 60_000;
/** The list of a package with thousands of releases has some 100 KB. */
const OUTPUT_LIMIT = 4_000_000;

/** What this npm command prints. Which registry it asks is the machine's own configuration. */
export function runNpm(args: readonly string[], cwd: string = tmpdir()): Promise<string> {
  const windows = process.platform === 'win32';
  const child = spawn(windows ? 'npm.cmd' : 'npm', args, {
    cwd,
    env: npmEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    shell: windows,
  });
  let printed = '';
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (printed.length < OUTPUT_LIMIT) printed += text;
  });
  for (const stream of [child.stdout, child.stderr.setEncoding('utf8')]) {
    stream.on('data', (text: string) => {
      output = (output + text).slice(-4000);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(printed);
      else reject(new Error(`npm ${args.slice(0, 2).join(' ')} failed with code ${code}:\n${output.trim()}`));
    });
  });
}

/** Of the npm that runs this script, only what says where packages come from: its folders are those of the workspace. */
function npmEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^npm_(?:package|lifecycle|execpath|node|command|config_local_prefix)/i.test(name) && name !== 'INIT_CWD',
  );
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return { ...Object.fromEntries(inherited), PATH: path };
}
