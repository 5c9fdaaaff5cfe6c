import type { ProofCase } from '../proof-case.ts';
import { approvalCases } from './approvals.ts';
import { conversationCases } from './conversation.ts';
import { toolCases } from './tools.ts';

export const proofCases: readonly ProofCase[] = [...conversationCases, ...toolCases, ...approvalCases];
