import { supportsColor } from './paint.ts';
import { keepOnlyColors } from './plain.ts';

/** Output that can be redrawn: a terminal with cursor movement. */
export interface Canvas {
  isTTY?: boolean;
  rows?: number;
  write(text: string): unknown;
}

const LOWEST = 24;

/** Lines on a terminal that are redrawn in place. No line may be wider than the terminal. */
export class Frame {
  readonly #canvas: Canvas;
  readonly #env: NodeJS.ProcessEnv;
  #height = 0;

  constructor(canvas: Canvas = process.stdout, env: NodeJS.ProcessEnv = process.env) {
    this.#canvas = canvas;
    this.#env = env;
  }

  /** False if the output is not a terminal or too low for the text; nothing is drawn then. */
  draw(text: string): boolean {
    const height = text.split('\n').length;
    const { isTTY, rows = LOWEST } = this.#canvas;
    if (!isTTY || this.#env.TERM === 'dumb' || height >= (rows || LOWEST)) return false;
    const back = this.#height > 0 ? `\x1b[${this.#height}A\r\x1b[J` : '';
    this.#canvas.write(`${back}${keepOnlyColors(text, supportsColor(this.#canvas, this.#env))}\n`);
    this.#height = height;
    return true;
  }
}
