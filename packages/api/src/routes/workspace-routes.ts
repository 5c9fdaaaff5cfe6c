import { z } from 'zod';
import { FILE_BODY_LIMIT, type Route } from '../route.ts';
import { AgentNameSchema } from '../schemas/agent.ts';
import { InboxSchema, RequestPageSchema, RequestQuerySchema } from '../schemas/change.ts';
import { IdSchema, PathSchema } from '../schemas/common.ts';
import {
  FileNameSchema,
  FolderListSchema,
  FolderQuerySchema,
  StoredFileSchema,
  TreeSchema,
  WorkspaceDiffSchema,
  WorkspacePathSchema,
} from '../schemas/file.ts';
import {
  AgentSessionIdSchema,
  HistoryPageSchema,
  HistoryQuerySchema,
  ImportSessionSchema,
  SessionIdParams,
  StoredConversationSchema,
} from '../schemas/history.ts';
import { AnswerSchema, RequestSchema, SnoozeSchema } from '../schemas/request.ts';
import { SessionSchema } from '../schemas/session.ts';
import { bytes, json, noFields } from './replies.ts';

const request = json(RequestSchema, 'The request.');
const requestParams = z.object({ id: IdSchema.describe('The id or a unique prefix.') });
const nativeParams = z.object({
  agent: AgentNameSchema,
  agentSessionId: AgentSessionIdSchema.describe("The agent's session id."),
});

/** Requests, the inbox, files of the workspace, and sessions stored by agents. */
export const WORKSPACE_ROUTES = {
  listRequests: {
    method: 'get',
    path: '/api/v1/requests',
    summary: 'List approvals and questions',
    tag: 'requests',
    query: RequestQuerySchema,
    reply: json(RequestPageSchema, 'A page.'),
  },
  getRequest: {
    method: 'get',
    path: '/api/v1/requests/{id}',
    summary: 'Get an approval or a question',
    tag: 'requests',
    params: requestParams,
    reply: request,
  },
  answerRequest: {
    method: 'post',
    path: '/api/v1/requests/{id}/answer',
    summary: 'Answer a request once, with an offered option',
    tag: 'requests',
    params: requestParams,
    body: AnswerSchema,
    reply: request,
  },
  snoozeRequest: {
    method: 'post',
    path: '/api/v1/requests/{id}/snooze',
    summary: 'Snooze a request: it leaves the inbox for a while and stays open',
    tag: 'requests',
    params: requestParams,
    body: SnoozeSchema,
    bodyOptional: true,
    reply: request,
  },
  getInbox: {
    method: 'get',
    path: '/api/v1/inbox',
    summary: 'List everything that needs the user',
    tag: 'requests',
    reply: json(InboxSchema, 'The inbox.'),
  },

  uploadFile: {
    method: 'post',
    path: '/api/v1/files',
    summary: 'Upload a file to be attached to a message',
    tag: 'files',
    query: z.strictObject({ name: FileNameSchema }),
    body: 'raw',
    bodyLimit: FILE_BODY_LIMIT,
    reply: json(StoredFileSchema, 'The stored file.', 201),
  },
  downloadFile: {
    method: 'get',
    path: '/api/v1/files/{id}',
    summary: 'Get an uploaded file',
    tag: 'files',
    params: z.object({ id: IdSchema }),
    reply: bytes('*/*', 'The content.'),
  },
  createScratchFolder: {
    method: 'post',
    path: '/api/v1/scratch-folders',
    summary: 'Create an empty scratch folder',
    tag: 'files',
    body: noFields,
    bodyOptional: true,
    reply: json(z.object({ path: PathSchema }), 'The folder.', 201),
  },
  listFolders: {
    method: 'get',
    path: '/api/v1/folders',
    summary: 'Complete a folder path of this machine',
    tag: 'files',
    query: FolderQuerySchema,
    reply: json(FolderListSchema, 'What is at the path, and its completions.'),
  },
  listTree: {
    method: 'get',
    path: '/api/v1/sessions/{id}/tree',
    summary: 'List a folder of the workspace',
    tag: 'files',
    params: SessionIdParams,
    query: z.strictObject({ path: WorkspacePathSchema.optional() }),
    reply: json(TreeSchema, 'Its entries.'),
  },
  getWorkspaceFile: {
    method: 'get',
    path: '/api/v1/sessions/{id}/file',
    summary: 'Get a file of the workspace',
    tag: 'files',
    params: SessionIdParams,
    query: z.strictObject({ path: WorkspacePathSchema }),
    reply: bytes('*/*', 'The content.'),
  },
  getDiff: {
    method: 'get',
    path: '/api/v1/sessions/{id}/diff',
    summary: 'Get the changes in the workspace: since its worktree was created, else since the last commit',
    tag: 'files',
    params: SessionIdParams,
    reply: json(WorkspaceDiffSchema, 'Includes untracked files.'),
  },
  getBlob: {
    method: 'get',
    path: '/api/v1/blobs/{sha256}',
    summary: 'Get a long text of an event by its hash',
    tag: 'files',
    params: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
    reply: bytes('text/plain', 'The content.'),
  },

  listHistory: {
    method: 'get',
    path: '/api/v1/history',
    summary: 'List and search sessions stored by agents',
    tag: 'history',
    query: HistoryQuerySchema,
    reply: json(HistoryPageSchema, 'A page.'),
  },
  getHistory: {
    method: 'get',
    path: '/api/v1/history/{agent}/{agentSessionId}',
    summary: 'Get the conversation of a stored session',
    tag: 'history',
    params: nativeParams,
    reply: json(StoredConversationSchema, 'The conversation.'),
  },
  importSession: {
    method: 'post',
    path: '/api/v1/history/{agent}/{agentSessionId}/import',
    summary: 'Import a stored session as a daemon session',
    tag: 'history',
    params: nativeParams,
    body: ImportSessionSchema,
    bodyOptional: true,
    reply: json(SessionSchema, 'The new session.', 201),
  },
} satisfies Record<string, Route>;
