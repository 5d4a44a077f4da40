/** What an onboarding has done so far, in the kit folder: the next run continues from it, a teardown removes it. No secrets. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { writeOnboardingFile } from '../onboarding-file.ts';
import type { StepRecorder } from './run-steps.ts';

const JournalFacts = Type.Object({
  instance_id: Type.String(),
  /** The id that the user requested; differs from `instance_id` if it was taken. */
  asked_id: Type.String(),
  control_plane: Type.String(),
  product_dir: Type.String(),
  test_dir: Type.String(),
  image: Type.String(),
  compose_project: Type.String(),
  network: Type.String(),
  /** The control plane has the registration. */
  registered: Type.Boolean(),
  executor_port: Type.Optional(Type.Integer()),
  /** Hash of the executor's config files as written. */
  config_hash: Type.Optional(Type.String()),
  /** `config_hash` at the latest start of the executor. */
  started_hash: Type.Optional(Type.String()),
});
/** What a later run needs to know. */
export type JournalFacts = Static<typeof JournalFacts>;

const JournalEntry = Type.Object({ step: Type.String(), at: Type.String(), detail: Type.String() });

const OnboardingJournal = Type.Object({
  version: Type.Literal(1),
  facts: JournalFacts,
  /** The step that was started and neither finished nor undone. */
  in_hand: Type.Union([Type.String(), Type.Null()]),
  finished: Type.Array(JournalEntry),
});
export type OnboardingJournal = Static<typeof OnboardingJournal>;

const compiledJournal = TypeCompiler.Compile(OnboardingJournal);

export function getJournalPath(kit: string): string {
  return join(kit, 'journal.json');
}

/** Throws JOURNAL_UNREADABLE. */
export async function readJournal(kit: string): Promise<OnboardingJournal | undefined> {
  const file = getJournalPath(kit);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw vpError('JOURNAL_UNREADABLE', { file, reason: String(error) }, { cause: error });
  }
  const value = parseJson(text);
  if (compiledJournal.Check(value)) return value;
  throw vpError('JOURNAL_UNREADABLE', { file, reason: 'it is not a journal of vp' });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The journal of a running onboarding. Until its kit folder is known, entries are buffered in memory. */
export class JournalWriter implements StepRecorder {
  readonly #environment: Pick<Environment, 'clock' | 'random'>;
  #kit: string | undefined;
  #journal: OnboardingJournal | undefined;
  #early: OnboardingJournal['finished'] = [];
  /** Nothing is written before the first step that changes something. */
  #isKept = false;

  constructor(environment: Pick<Environment, 'clock' | 'random'>) {
    this.#environment = environment;
  }

  /** Facts of earlier runs and of this one; undefined before `attach`. */
  get facts(): JournalFacts | undefined {
    return this.#journal?.facts;
  }

  /** The step that an earlier run left unfinished. */
  get currentStep(): string | undefined {
    return this.#journal?.in_hand ?? undefined;
  }

  /** Sets the kit folder, and the journal of earlier runs there. */
  attach(kit: string, facts: JournalFacts, previous: OnboardingJournal | undefined): void {
    this.#kit = kit;
    this.#isKept = previous !== undefined;
    const finished = [...(previous?.finished ?? [])];
    this.#journal = { version: 1, facts, in_hand: previous?.in_hand ?? null, finished };
    for (const entry of this.#early) this.#enter(entry);
    this.#early = [];
  }

  async updateFacts(facts: Partial<JournalFacts>): Promise<void> {
    if (!this.#journal) return;
    this.#journal = { ...this.#journal, facts: { ...this.#journal.facts, ...facts } };
    this.#isKept = true;
    await this.#write();
  }

  async start(step: string): Promise<void> {
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
    const wasCurrent = this.#journal.in_hand === step;
    const isFinished = this.#journal.finished.some((other) => other.step === step);
    if (isFinished && !wasCurrent) return;
    this.#enter(entry);
    await this.#write();
  }

  async discard(step: string): Promise<void> {
    if (!this.#journal) return;
    const finished = this.#journal.finished.filter((entry) => entry.step !== step);
    this.#journal = { ...this.#journal, in_hand: null, finished };
    await this.#write();
  }

  #enter(entry: OnboardingJournal['finished'][number]): void {
    if (!this.#journal) return;
    const finished = [...this.#journal.finished.filter(({ step }) => step !== entry.step), entry];
    const in_hand = this.#journal.in_hand === entry.step ? null : this.#journal.in_hand;
    this.#journal = { ...this.#journal, in_hand, finished };
  }

  async #write(): Promise<void> {
    if (!this.#kit || !this.#journal || !this.#isKept) return;
    const json = `${JSON.stringify(this.#journal, null, 2)}\n`;
    await writeOnboardingFile(getJournalPath(this.#kit), json, this.#environment.random);
  }
}
