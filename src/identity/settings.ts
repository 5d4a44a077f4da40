const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Exponential backoff after failed attempts; times in milliseconds. */
export type BackoffSettings = {
  /** Failures before the first delay. */
  readonly freeFailures: number;
  /** The first delay; it doubles with every further failure, up to `maxDelayMs`. */
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  /** Failures are forgotten after this long without a new one. */
  readonly resetAfterMs: number;
};

/** Settings of accounts, sessions and the OAuth server; times in milliseconds. */
export type IdentitySettings = {
  /** argon2id. */
  readonly password: { readonly memoryKiB: number; readonly passes: number };
  /** Passwords hashed at the same time, and the length of the queue. */
  readonly hashing: { readonly maxRunning: number; readonly maxQueued: number };
  /** A session ends after `sessionIdleMs` without use, and `sessionMaxMs` after sign-in at the latest. */
  readonly sessionIdleMs: number;
  readonly sessionMaxMs: number;
  /** The cookie's secret is replaced at this age; the previous one stays valid for the grace period after the new one is used. */
  readonly rotateAfterMs: number;
  readonly rotationGraceMs: number;
  readonly setupLinkMs: number;
  readonly invitationMs: number;
  /** How long a browser is remembered as one that signed in to an account. */
  readonly knownDeviceMs: number;
  /** The minimum interval between two writes of a "last used" time. */
  readonly touchMs: number;
  /** Lifetimes of what the OAuth server issues, in seconds. */
  readonly oauth: {
    readonly accessTokenSeconds: number;
    readonly refreshTokenSeconds: number;
    readonly authorizationCodeSeconds: number;
    readonly deviceCodeSeconds: number;
    readonly interactionSeconds: number;
    /** The interval at which a client may poll with its device code (RFC 8628). */
    readonly pollIntervalSeconds: number;
    /** Dynamically registered clients: the maximum, and how long one is kept without a grant and after its latest grant. */
    readonly maxClients: number;
    readonly unusedClientSeconds: number;
    readonly grantedClientSeconds: number;
    /** Limits per network: registrations in ten minutes, and client metadata documents fetched in one minute. */
    readonly maxRegistrations: number;
    readonly maxDocumentFetches: number;
    /** Timeout of a document fetch. Every failure is reported after exactly this time plus a margin. */
    readonly documentTimeoutMs: number;
  };
  /** Backoff for one account from one address (or one known browser), and for one address over all accounts. */
  readonly accountBackoff: BackoffSettings;
  readonly addressBackoff: BackoffSettings;
};

/** The defaults. OWASP recommends 46 MiB in one pass for argon2id, which takes about 50 ms. */
export const defaultIdentitySettings: IdentitySettings = {
  password: { memoryKiB: 47_104, passes: 1 },
  hashing: { maxRunning: 2, maxQueued: 50 },
  sessionIdleMs: 7 * dayMs,
  sessionMaxMs: 30 * dayMs,
  rotateAfterMs: 15 * minuteMs,
  rotationGraceMs: minuteMs,
  setupLinkMs: 30 * minuteMs,
  invitationMs: 7 * dayMs,
  knownDeviceMs: 180 * dayMs,
  touchMs: minuteMs,
  oauth: {
    accessTokenSeconds: 900,
    refreshTokenSeconds: 30 * 86_400,
    authorizationCodeSeconds: 60,
    deviceCodeSeconds: 600,
    interactionSeconds: 900,
    pollIntervalSeconds: 5,
    maxClients: 5000,
    unusedClientSeconds: 7 * 86_400,
    grantedClientSeconds: 90 * 86_400,
    maxRegistrations: 30,
    maxDocumentFetches: 20,
    // oidc-provider's default of 2.5 s is too short when either side is busy.
    documentTimeoutMs: 5_000,
  },
  accountBackoff: { freeFailures: 5, initialDelayMs: 1000, maxDelayMs: 15 * minuteMs, resetAfterMs: 60 * minuteMs },
  addressBackoff: { freeFailures: 30, initialDelayMs: 1000, maxDelayMs: 15 * minuteMs, resetAfterMs: 60 * minuteMs },
};
