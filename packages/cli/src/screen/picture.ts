import { usesColour } from './paint.ts';
import { keepOnlyColours } from './plain.ts';

/** Where a picture can be drawn again: a terminal that can move its cursor. */
export interface Canvas {
  isTTY?: boolean;
  rows?: number;
  write(text: string): unknown;
}

const LOWEST = 24;

/** Lines on a terminal that are drawn again in their place as more is known. No line may be wider than the terminal. */
export class Picture {
  readonly #canvas: Canvas;
  readonly #env: NodeJS.ProcessEnv;
  #height = 0;

  constructor(canvas: Canvas = process.stdout, env: NodeJS.ProcessEnv = process.env) {
    this.#canvas = canvas;
    this.#env = env;
  }

  /** False: there is nobody to see it, or it is higher than the terminal; then nothing was drawn. */
  draw(text: string): boolean {
    const height = text.split('\n').length;
    const { isTTY, rows = LOWEST } = this.#canvas;
    if (!isTTY || this.#env.TERM === 'dumb' || height >= (rows || LOWEST)) return false;
    const back = this.#height > 0 ? `\x1b[${this.#height}A\r\x1b[J` : '';
    this.#canvas.write(`${back}${keepOnlyColours(text, usesColour(this.#canvas, this.#env))}\n`);
    this.#height = height;
    return true;
  }
}
