import { messageOf } from '@agent-mux/core';
import type { CaseOptions, ChaosCase } from './case.ts';
import { fileCases } from './files.ts';
import { limitCases } from './limits.ts';
import { loadCases } from './load.ts';
import { otherCases } from './many.ts';
import { startUpCases } from './start-up.ts';

export const chaosCases: readonly ChaosCase[] = [...fileCases, ...startUpCases, ...otherCases, ...limitCases];
export { loadCases } from './load.ts';

export interface CaseOutcome {
  id: string;
  ok: boolean;
  ms: number;
  /** Failure, or a remark. */
  said: string;
  folder: string;
}

export async function runCase(id: string, options: CaseOptions): Promise<CaseOutcome> {
  const started = performance.now();
  const about = (ok: boolean, said: string): CaseOutcome => ({
    id,
    ok,
    said,
    folder: options.folder,
    ms: performance.now() - started,
  });
  const found = [...chaosCases, ...loadCases].find((one) => one.id === id);
  if (!found) return about(false, `unknown case "${id}"; use one of ${chaosCases.map((one) => one.id).join(', ')}`);
  try {
    return about(true, (await found.run(options)) ?? '');
  } catch (error) {
    return about(false, messageOf(error));
  }
}
