const minuteMs = 60_000;
const dayMs = 86_400_000;

/** What one attempt after another may do before it has to wait; times in milliseconds. */
export type Patience = {
  /** Failures without a wait. */
  readonly free: number;
  /** The first wait; each further one is twice as long, up to `longestMs`. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** Failures are forgotten after so long without one. */
  readonly forgetMs: number;
};

/** How accounts and sessions behave; times in milliseconds. */
export type IdentitySettings = {
  /** argon2id. */
  readonly password: { readonly memoryKiB: number; readonly passes: number };
  /** Passwords hashed at the same time, and how many more may wait. */
  readonly hashing: { readonly atOnce: number; readonly waiting: number };
  /** A session ends when it is not used for so long, and in any case after so long. */
  readonly sessionIdleMs: number;
  readonly sessionMaxMs: number;
  /** The cookie's secret is replaced when it is older; the one before is good for so long after the new one was used. */
  readonly rotateAfterMs: number;
  readonly rotationGraceMs: number;
  readonly setupLinkMs: number;
  readonly invitationMs: number;
  /** How long a browser is remembered as one that signed in. */
  readonly knownDeviceMs: number;
  /** Signs of life are stored at most so often. */
  readonly touchMs: number;
  /** How long what the OAuth server gives is good for, in seconds. */
  readonly oauth: {
    readonly accessSeconds: number;
    readonly refreshSeconds: number;
    readonly codeSeconds: number;
    readonly deviceSeconds: number;
    readonly interactionSeconds: number;
    /** What a program waits between two questions about its device code (RFC 8628). */
    readonly pollSeconds: number;
    /** Programs that registered themselves: how many, and how long one is kept that nobody has let in, or has again. */
    readonly mostClients: number;
    readonly unusedClientSeconds: number;
    readonly keptClientSeconds: number;
    /** From one network: registrations in ten minutes, and documents of programs that are fetched in one. */
    readonly registrations: number;
    readonly documents: number;
    /** How long one may take to fetch; each that cannot be had is told after so long. */
    readonly documentMs: number;
  };
  /** Of an account from one address (or from one known browser), and of one address for all accounts. */
  readonly accountPatience: Patience;
  readonly addressPatience: Patience;
};

/** What holds unless said otherwise. 46 MiB in one pass is what OWASP recommends for argon2id; about 50 ms. */
export const defaultIdentitySettings: IdentitySettings = {
  password: { memoryKiB: 47_104, passes: 1 },
  hashing: { atOnce: 2, waiting: 50 },
  sessionIdleMs: 7 * dayMs,
  sessionMaxMs: 30 * dayMs,
  rotateAfterMs: 15 * minuteMs,
  rotationGraceMs: minuteMs,
  setupLinkMs: 30 * minuteMs,
  invitationMs: 7 * dayMs,
  knownDeviceMs: 180 * dayMs,
  touchMs: minuteMs,
  oauth: {
    accessSeconds: 900,
    refreshSeconds: 30 * 86_400,
    codeSeconds: 60,
    deviceSeconds: 600,
    interactionSeconds: 900,
    pollSeconds: 5,
    mostClients: 5000,
    unusedClientSeconds: 7 * 86_400,
    keptClientSeconds: 90 * 86_400,
    registrations: 30,
    documents: 20,
    // The OAuth server's own 2.5 s are too few where either side is busy.
    documentMs: 5_000,
  },
  accountPatience: { free: 5, firstMs: 1000, longestMs: 15 * minuteMs, forgetMs: 60 * minuteMs },
  addressPatience: { free: 30, firstMs: 1000, longestMs: 15 * minuteMs, forgetMs: 60 * minuteMs },
};
