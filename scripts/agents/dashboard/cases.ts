import { modesOf } from '@agent-mux/core';
import { agentSetups } from '@agent-mux/testkit';
import { adapterOf } from '../adapters.ts';
import { answerCases } from './answers.ts';
import type { DashboardCase } from './dashboard-case.ts';
import { turnCases } from './turns.ts';
import { workCases } from './work.ts';

const dashboardCases: readonly DashboardCase[] = [...turnCases, ...answerCases, ...workCases];

/** The cases that an agent supports. */
export function dashboardCasesFor(agent: string): DashboardCase[] {
  const can = modesOf(adapterOf(agent))[0]!.capabilities;
  return dashboardCases.filter(({ needs }) => needs?.({ can, setup: agentSetups[agent]! }) ?? true);
}
