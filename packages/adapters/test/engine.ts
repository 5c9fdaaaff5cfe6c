import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentAdapter, type AgentEvent, type Client, createClient, type RunHandle } from '@agent-mux/core';
import { afterEach, beforeEach } from 'vitest';
import type { DefinitionProfile } from '../src/generic/profile.ts';

/** A client and a folder for each test; both are removed afterwards. */
export function useEngine(adapters: () => AgentAdapter[]): { client: Client; cwd: string } {
  const engine = { client: createClient(), cwd: '' };
  beforeEach(() => {
    engine.cwd = mkdtempSync(join(tmpdir(), 'agent-mux-generic-'));
    engine.client = createClient({ adapters: adapters(), runIndex: false, defaults: { cwd: engine.cwd } });
  });
  afterEach(async () => {
    await engine.client.close();
    rmSync(engine.cwd, { recursive: true, force: true });
  });
  return engine;
}

export function define<T>(profile: DefinitionProfile<T>, id: string, config: object): AgentAdapter {
  return profile.create(id, id, profile.schema.parse(config));
}

/** A program as a definition names it. */
export const script = (code: string) => ({ command: process.execPath, args: ['-e', code] });

export async function eventsOf(handle: RunHandle): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of handle) events.push(event);
  return events;
}

export const typed = <T extends AgentEvent['type']>(events: readonly AgentEvent[], type: T) =>
  events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
