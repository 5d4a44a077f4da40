/** Types and limits of the memory service. */

/** A hub's principal is one. Passed by the authenticated endpoint, never by a token. */
export type MemoryPrincipal = {
  readonly hub: { readonly id: string };
  readonly person: { readonly personId: string; readonly name: string };
  readonly role: 'owner' | 'member' | 'viewer';
};

/** `user`: only this person in this hub. `hub`: everybody in the hub. */
export const memoryScopes = ['user', 'hub'] as const;
export type MemoryScope = (typeof memoryScopes)[number];

export type Memory = {
  readonly id: string;
  readonly scope: MemoryScope;
  readonly text: string;
  readonly tags: readonly string[];
  readonly author: string;
  readonly created_at: string;
  readonly updated_at: string;
};

export const memoryBounds = {
  textLength: 16_384,
  tags: 16,
  tagLength: 64,
  /** Per partition. */
  memories: 10_000,
  bytes: 33_554_432,
  /** Per response. */
  items: 100,
  answerLength: 200_000,
  queryLength: 1000,
  queryTerms: 16,
  importItems: 500,
  /** Memories that one search ranks. */
  examined: 1000,
} as const;
