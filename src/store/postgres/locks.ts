/** Advisory locks of transactions, all of one class. Whoever writes a store holds its lock until the commit. */
export const lockClass = 0x7670;

export const storeLocks = { control: 1, audit: 2, memory: 3, migration: 4 } as const;
