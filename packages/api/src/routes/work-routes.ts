import { z } from 'zod';
import { FILE_BODY_LIMIT, type Route } from '../route.ts';
import { AgentNameSchema } from '../schemas/agent.ts';
import { InboxSchema, RequestPageSchema, RequestQuerySchema } from '../schemas/change.ts';
import { IdSchema, PathSchema } from '../schemas/common.ts';
import {
  FileNameSchema,
  FolderListSchema,
  FolderQuerySchema,
  InnerPathSchema,
  StoredFileSchema,
  TreeSchema,
  WorkspaceDiffSchema,
} from '../schemas/file.ts';
import {
  HistoryPageSchema,
  HistoryQuerySchema,
  NativeIdSchema,
  SessionIdParams,
  StoredConversationSchema,
  TakeOverSchema,
} from '../schemas/history.ts';
import { AnswerSchema, LaterSchema, RequestSchema } from '../schemas/request.ts';
import { SessionSchema } from '../schemas/session.ts';
import { bytes, json, noFields } from './replies.ts';

const request = json(RequestSchema, 'The request.');
const requestParams = z.object({ id: IdSchema.describe('May be shortened while only one begins with it.') });
const nativeParams = z.object({ agent: AgentNameSchema, nativeId: NativeIdSchema.describe("The agent's own id.") });

/** What waits for a person, the files of the work, and what agents have stored themselves. */
export const WORK_ROUTES = {
  listRequests: {
    method: 'get',
    path: '/api/v1/requests',
    summary: 'Approvals and questions',
    tag: 'requests',
    query: RequestQuerySchema,
    reply: json(RequestPageSchema, 'A page.'),
  },
  getRequest: {
    method: 'get',
    path: '/api/v1/requests/{id}',
    summary: 'An approval or a question',
    tag: 'requests',
    params: requestParams,
    reply: request,
  },
  answerRequest: {
    method: 'post',
    path: '/api/v1/requests/{id}/answer',
    summary: 'Answers it, once, with something that was offered',
    tag: 'requests',
    params: requestParams,
    body: AnswerSchema,
    reply: request,
  },
  postponeRequest: {
    method: 'post',
    path: '/api/v1/requests/{id}/later',
    summary: 'Not now: it leaves the inbox for a while and stays open',
    tag: 'requests',
    params: requestParams,
    body: LaterSchema,
    bodyOptional: true,
    reply: request,
  },
  getInbox: {
    method: 'get',
    path: '/api/v1/inbox',
    summary: 'All that waits for a person',
    tag: 'requests',
    reply: json(InboxSchema, 'The inbox.'),
  },

  uploadFile: {
    method: 'post',
    path: '/api/v1/files',
    summary: 'Hands in a file, to be named in a message',
    tag: 'files',
    query: z.strictObject({ name: FileNameSchema }),
    body: 'raw',
    bodyLimit: FILE_BODY_LIMIT,
    reply: json(StoredFileSchema, 'The file is kept.', 201),
  },
  downloadFile: {
    method: 'get',
    path: '/api/v1/files/{id}',
    summary: 'A file that was handed in',
    tag: 'files',
    params: z.object({ id: IdSchema }),
    reply: bytes('*/*', 'Its content.'),
  },
  createScratchFolder: {
    method: 'post',
    path: '/api/v1/scratch-folders',
    summary: 'An empty folder to try something in',
    tag: 'files',
    body: noFields,
    bodyOptional: true,
    reply: json(z.object({ path: PathSchema }), 'The folder.', 201),
  },
  listFolders: {
    method: 'get',
    path: '/api/v1/folders',
    summary: 'Folders of this machine that complete what was typed',
    tag: 'files',
    query: FolderQuerySchema,
    reply: json(FolderListSchema, 'What lies there, and what it may become.'),
  },
  listTree: {
    method: 'get',
    path: '/api/v1/sessions/{id}/tree',
    summary: 'A folder of the workspace',
    tag: 'files',
    params: SessionIdParams,
    query: z.strictObject({ path: InnerPathSchema.optional() }),
    reply: json(TreeSchema, 'What is in it.'),
  },
  readWorkspaceFile: {
    method: 'get',
    path: '/api/v1/sessions/{id}/file',
    summary: 'A file of the workspace',
    tag: 'files',
    params: SessionIdParams,
    query: z.strictObject({ path: InnerPathSchema }),
    reply: bytes('*/*', 'Its content.'),
  },
  readDiff: {
    method: 'get',
    path: '/api/v1/sessions/{id}/diff',
    summary: 'What differs in the workspace: from the commit that its worktree began with, else from the last one',
    tag: 'files',
    params: SessionIdParams,
    reply: json(WorkspaceDiffSchema, 'Untracked files too.'),
  },
  readBlob: {
    method: 'get',
    path: '/api/v1/blobs/{sha256}',
    summary: 'A long text of an event, by its hash',
    tag: 'files',
    params: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
    reply: bytes('text/plain', 'Its content.'),
  },

  listHistory: {
    method: 'get',
    path: '/api/v1/history',
    summary: 'Sessions that agents have stored themselves: list and search',
    tag: 'history',
    query: HistoryQuerySchema,
    reply: json(HistoryPageSchema, 'A page.'),
  },
  readHistory: {
    method: 'get',
    path: '/api/v1/history/{agent}/{nativeId}',
    summary: 'The conversation of a stored session',
    tag: 'history',
    params: nativeParams,
    reply: json(StoredConversationSchema, 'All of it.'),
  },
  takeOver: {
    method: 'post',
    path: '/api/v1/history/{agent}/{nativeId}/restore',
    summary: 'A stored session becomes one of ours',
    tag: 'history',
    params: nativeParams,
    body: TakeOverSchema,
    bodyOptional: true,
    reply: json(SessionSchema, 'The new session.', 201),
  },
} satisfies Record<string, Route>;
