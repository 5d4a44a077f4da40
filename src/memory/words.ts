/** Words of the memory service. */

/** Who remembers: a hub's principal fits. Handed over by whoever let the caller in, never by a token. */
export type MemoryPrincipal = {
  readonly hub: { readonly id: string };
  readonly person: { readonly personId: string; readonly name: string };
  readonly role: 'owner' | 'member' | 'viewer';
};

/** `user`: only this person, only in this hub. `hub`: everybody in the hub. */
export const memoryScopes = ['user', 'hub'] as const;
/** One of {@link memoryScopes}. */
export type MemoryScope = (typeof memoryScopes)[number];

/** A memory as it is told. */
export type Memory = {
  readonly id: string;
  readonly scope: MemoryScope;
  readonly text: string;
  readonly tags: readonly string[];
  readonly author: string;
  readonly created_at: string;
  readonly updated_at: string;
};

/** How much is kept and told. */
export const memoryBounds = {
  textLength: 16_384,
  tags: 16,
  tagLength: 64,
  /** Of one partition. */
  memories: 10_000,
  bytes: 33_554_432,
  /** Of one answer. */
  items: 100,
  answerLength: 200_000,
  queryLength: 1000,
  queryWords: 16,
  importItems: 500,
  /** Memories that one search looks at. */
  examined: 1000,
} as const;
