import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

/**
 * Switches echo of typed characters. Everything else is unchanged: Ctrl-C and Ctrl-Z are signals, and typed input stays for the
 * next reader, finally the shell. Echo stays on if it cannot be changed.
 */
export class Echo {
  #isOff = false;

  off(): void {
    // A background process that changes the terminal is stopped.
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

/** Whether this process is in the foreground. */
export function isInForeground(): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', `${process.pid}`], { encoding: 'utf8' });
  return stdout?.includes('+') ?? false;
}
