import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GATE_TITLE, type GatePolicy, gatePolicy, gateSource } from './gate.ts';

describe('gate extension', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pi-gate-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** The file as pi loads it, and its answer to a call. */
  async function verdict(policy: GatePolicy | undefined, toolName: string, answer?: boolean) {
    const path = join(folder, `gate-${toolName}-${answer}.mjs`);
    writeFileSync(path, gateSource(policy!));
    const { default: load } = await import(pathToFileURL(path).href);
    const asked: string[][] = [];
    let handler: (call: object, context: object) => Promise<{ block: boolean } | undefined> = async () => undefined;
    load({
      on: (_: string, options: typeof handler) => {
        handler = options;
      },
    });
    const confirm = async (...question: string[]) => {
      asked.push(question);
      return answer;
    };
    const context = { hasUI: answer !== undefined, ui: { confirm } };
    const result = await handler({ toolName, toolCallId: 't1', input: { a: 1 } }, context);
    return { passes: result === undefined, asked };
  }

  it('passes read-only tools and asks for everything else', async () => {
    const policy = gatePolicy('prompt', true);
    expect(await verdict(policy, 'read', false)).toEqual({ passes: true, asked: [] });
    expect(await verdict(policy, 'bash', true)).toEqual({
      passes: true,
      asked: [[`${GATE_TITLE}bash`, '{"toolCallId":"t1","input":{"a":1}}']],
    });
    expect(await verdict(policy, 'write', false)).toMatchObject({ passes: false, asked: [expect.anything()] });
    expect(await verdict(policy, 'unknown', false)).toMatchObject({ passes: false });
  });

  it('blocks if it cannot ask', async () => {
    expect(await verdict(gatePolicy('prompt', true), 'bash')).toMatchObject({ passes: false });
    expect(await verdict(gatePolicy('deny', false), 'bash', true)).toEqual({ passes: false, asked: [] });
  });

  it('blocks every change in plan mode, also by an allowed tool', async () => {
    const policy = gatePolicy('plan', true, ['bash']);
    expect(await verdict(policy, 'bash', true)).toEqual({ passes: false, asked: [] });
    expect(await verdict(policy, 'edit', true)).toEqual({ passes: false, asked: [] });
    expect(await verdict(policy, 'grep', true)).toMatchObject({ passes: true });
  });

  it('passes edits in accept-edits mode, and allowed tools', async () => {
    expect(await verdict(gatePolicy('accept-edits', true), 'edit', false)).toEqual({ passes: true, asked: [] });
    expect(await verdict(gatePolicy('prompt', true, ['bash']), 'bash', false)).toEqual({ passes: true, asked: [] });
  });
});
