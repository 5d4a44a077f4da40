/** Errors of signing in to upstream servers, and of calling their tools by hand. */
import { conflict } from './row.ts';

/** Area: connections in use. */
export const upstreamSignInErrors = {
  CONNECTION_MEMORY_THERE: conflict(
    'the hub has a connection to memory already: {{name}}',
    'use that one: each member has a part of it, and all of the hub share another',
  ),
} as const;
