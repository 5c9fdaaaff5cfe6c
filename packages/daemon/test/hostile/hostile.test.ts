import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS, type Operation, RUN } from './operations.ts';
import { HOSTILE } from './repositories.ts';
import { change, createWorld, type World } from './world.ts';

/** No operation on a small repository may take longer, even if something in it would block git forever. */
const LIMIT_MS = 20_000;

describe.each(Object.entries(HOSTILE))('repository with %s', (_, repository) => {
  let world: World;
  let broken: Operation | undefined;
  beforeAll(() => {
    world = createWorld();
    repository.build?.(world);
  });
  afterAll(() => world.remove());

  it.each(OPERATIONS)('runs nothing, blocks nothing and hides nothing: %s', async (operation) => {
    // The other operations need the worktree.
    if (broken !== undefined && OPERATIONS.indexOf(operation) > OPERATIONS.indexOf('create worktree')) return;
    const started = performance.now();
    const refusal = repository.refuses?.[operation];
    if (refusal === undefined) await RUN[operation](world, repository);
    else {
      await expect(RUN[operation](world, repository)).rejects.toThrow(refusal);
      if (operation === 'create worktree') broken = operation;
    }
    expect(performance.now() - started).toBeLessThan(LIMIT_MS);
    expect(world.wasRun()).toBe(false);
  });

  it.runIf(repository.trap)('has a trap that works', () => {
    change(world, world.work, 'for the trap');
    repository.hide?.(world, world.work);
    try {
      world.git(...repository.trap!);
    } catch {
      // Many traps make git fail too.
    }
    expect(world.wasRun()).toBe(true);
  });
});
