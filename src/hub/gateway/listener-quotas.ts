/** Counts what callers keep open in a hub, streams of notifications and watched resources, against the limits of its policy. */
import { vpError } from '../../errors/vp-error.ts';
import type { HubPrincipal } from '../access/principal.ts';
import type { ListenerQuotaLimits } from '../policy/call-policy.ts';

export type ListenerKind = keyof ListenerQuotaLimits;

const nouns: Readonly<Record<ListenerKind, { readonly verb: string; readonly noun: string }>> = {
  streams: { verb: 'opens', noun: 'stream' },
  resources: { verb: 'watches', noun: 'resource' },
};

export class ListenerQuotas {
  readonly #counts = new Map<string, number>();

  /** Returns a function that gives it back. Throws HUB_LISTENERS_LIMITED. */
  take(kind: ListenerKind, { hub, person }: HubPrincipal, limits: ListenerQuotaLimits): () => void {
    const { perPerson, perHub } = limits[kind];
    const hubKey = JSON.stringify([kind, hub.id]);
    const personKey = JSON.stringify([kind, hub.id, person.personId]);
    assertBelow(kind, 'a person', this.#get(personKey), perPerson);
    assertBelow(kind, 'the hub', this.#get(hubKey), perHub);
    for (const key of [hubKey, personKey]) this.#add(key, 1);
    let isTaken = true;
    return () => {
      if (isTaken) for (const key of [hubKey, personKey]) this.#add(key, -1);
      isTaken = false;
    };
  }

  #get(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #add(key: string, change: number): void {
    const count = this.#get(key) + change;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}

function assertBelow(kind: ListenerKind, subject: string, count: number, max: number): void {
  if (count < max) return;
  const { verb, noun } = nouns[kind];
  throw vpError('HUB_LISTENERS_LIMITED', { subject, what: `${verb} at most ${max} ${noun}${max === 1 ? '' : 's'}` });
}
