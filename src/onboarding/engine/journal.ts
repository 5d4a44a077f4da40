/** What an onboarding has done so far, kept in the kit folder: another run goes on from it, a teardown takes it away. No secrets. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { StepNotes } from './run-steps.ts';
import { writeWhole } from './whole-file.ts';

const Facts = Type.Object({
  instance_id: Type.String(),
  /** The id that was asked for, where it was taken. */
  asked_id: Type.String(),
  control_plane: Type.String(),
  product_dir: Type.String(),
  test_dir: Type.String(),
  image: Type.String(),
  compose_project: Type.String(),
  network: Type.String(),
  /** Set once the control plane has the registration. */
  registered: Type.Boolean(),
  executor_port: Type.Optional(Type.Integer()),
  /** Hash of what was placed beside the executor. */
  config_hash: Type.Optional(Type.String()),
  /** Hash of the log line and database settings that were proved. */
  proved_hash: Type.Optional(Type.String()),
  /** Hash of the image and the stack as they were started. */
  started_hash: Type.Optional(Type.String()),
});
/** What a later run must know. */
export type JournalFacts = Static<typeof Facts>;

const Entry = Type.Object({ step: Type.String(), at: Type.String(), detail: Type.String() });

const Journal = Type.Object({
  version: Type.Literal(1),
  facts: Facts,
  /** The step that was begun and neither finished nor taken back. */
  in_hand: Type.Union([Type.String(), Type.Null()]),
  finished: Type.Array(Entry),
});
/** All of it. */
export type Journal = Static<typeof Journal>;

const check = TypeCompiler.Compile(Journal);

/** Its file in a kit folder. */
export function journalFile(kit: string): string {
  return join(kit, 'journal.json');
}

/** The journal of a kit folder; undefined where there is none. Throws JOURNAL_UNREADABLE. */
export async function readJournal(kit: string): Promise<Journal | undefined> {
  const file = journalFile(kit);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw vpError('JOURNAL_UNREADABLE', { file, reason: String(error) }, { cause: error });
  }
  const value = parsed(text);
  if (check.Check(value)) return value;
  throw vpError('JOURNAL_UNREADABLE', { file, reason: 'it is not in the form that vp writes' });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The journal of the running onboarding. Until its kit folder is known, notes are kept in memory. */
export class OpenJournal implements StepNotes {
  readonly #environment: Pick<Environment, 'clock' | 'random'>;
  #kit: string | undefined;
  #journal: Journal | undefined;
  #early: Journal['finished'] = [];
  /** Whether the file is there, or must be: nothing is written before something is begun. */
  #isKept = false;

  constructor(environment: Pick<Environment, 'clock' | 'random'>) {
    this.#environment = environment;
  }

  /** What an earlier run left and this one adds; undefined before `settle`. */
  get facts(): JournalFacts | undefined {
    return this.#journal?.facts;
  }

  /** The step that an earlier run left half done. */
  get inHand(): string | undefined {
    return this.#journal?.in_hand ?? undefined;
  }

  /** From now on it stands in `kit`. */
  settle(kit: string, facts: JournalFacts, before: Journal | undefined): void {
    this.#kit = kit;
    this.#isKept = before !== undefined;
    const finished = [...(before?.finished ?? [])];
    this.#journal = { version: 1, facts, in_hand: before?.in_hand ?? null, finished };
    for (const entry of this.#early) this.#enter(entry);
    this.#early = [];
  }

  /** Adds to the facts, and writes them. */
  async put(facts: Partial<JournalFacts>): Promise<void> {
    if (!this.#journal) return;
    this.#journal = { ...this.#journal, facts: { ...this.#journal.facts, ...facts } };
    this.#isKept = true;
    await this.#write();
  }

  async begin(step: string): Promise<void> {
    if (!this.#journal) return;
    const finished = this.#journal.finished.filter((entry) => entry.step !== step);
    this.#journal = { ...this.#journal, in_hand: step, finished };
    this.#isKept = true;
    await this.#write();
  }

  async finish(step: string, detail: string): Promise<void> {
    const entry = { step, at: new Date(this.#environment.clock.nowMs()).toISOString(), detail };
    if (!this.#journal) {
      this.#early.push(entry);
      return;
    }
    const wasInHand = this.#journal.in_hand === step;
    const known = this.#journal.finished.some((one) => one.step === step);
    if (known && !wasInHand) return;
    this.#enter(entry);
    await this.#write();
  }

  async drop(step: string): Promise<void> {
    if (!this.#journal) return;
    const finished = this.#journal.finished.filter((entry) => entry.step !== step);
    this.#journal = { ...this.#journal, in_hand: null, finished };
    await this.#write();
  }

  #enter(entry: Journal['finished'][number]): void {
    if (!this.#journal) return;
    const finished = [...this.#journal.finished.filter(({ step }) => step !== entry.step), entry];
    const in_hand = this.#journal.in_hand === entry.step ? null : this.#journal.in_hand;
    this.#journal = { ...this.#journal, in_hand, finished };
  }

  async #write(): Promise<void> {
    if (!this.#kit || !this.#journal || !this.#isKept) return;
    const text = `${JSON.stringify(this.#journal, null, 2)}\n`;
    await writeWhole(journalFile(this.#kit), text, this.#environment.random);
  }
}
