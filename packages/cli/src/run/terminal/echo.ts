import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

/**
 * Whether the terminal shows what is typed. All else stays: Ctrl-C and Ctrl-Z are signals, and what is typed waits for
 * whoever reads next, the shell at last. Where it cannot be changed, it is shown.
 */
export class Echo {
  #isOff = false;

  off(): void {
    // In the background the terminal is somebody else's, and who changes it is stopped.
    if (this.#isOff || !isInForeground()) return;
    this.#isOff = setEcho('-echo');
    if (this.#isOff) process.on('exit', this.#restore);
  }

  on(): void {
    this.#restore();
    process.off('exit', this.#restore);
  }

  readonly #restore = () => {
    if (this.#isOff && isInForeground()) setEcho('echo');
    this.#isOff = false;
  };
}

function setEcho(word: 'echo' | '-echo'): boolean {
  try {
    const terminal = openSync('/dev/tty', 'r');
    const { status } = spawnSync('stty', [word], { stdio: [terminal, 'ignore', 'ignore'] });
    closeSync(terminal);
    return status === 0;
  } catch {
    return false;
  }
}

/** Whether the terminal is this program's, not its shell's. */
export function isInForeground(): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', `${process.pid}`], { encoding: 'utf8' });
  return stdout?.includes('+') ?? false;
}
