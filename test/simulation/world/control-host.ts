/** The machine of the control plane: starts it, crashes it, starts it again, restores a backup. */
import type { ControlPort } from '../../../src/contract/executor-api.ts';
import { type OpenControl, openControl } from '../../../src/control/open-control.ts';
import { restoreControl } from '../../../src/control/restore.ts';
import { toVpError } from '../../../src/errors/vp-error.ts';
import { type AuditLog, openAudit } from '../../../src/hub/audit/audit-log.ts';
import type { Disk, DiskFolder } from './disk.ts';
import type { Scheduler } from './scheduler.ts';
import { createSeededRandom } from './seeded-random.ts';
import { type Machine, SimProcess } from './sim-process.ts';

export const masterKey = Buffer.alloc(32, 7).toString('base64');

/** What one process of the control plane has open. */
export type ControlServices = { readonly process: SimProcess; readonly control: OpenControl; readonly audit: AuditLog };

/** `onOpen` is called in the process; `onInternalError` when something happened that only a defect explains. */
export type ControlHostOptions = {
  readonly seed: string;
  readonly scheduler: Scheduler;
  readonly disk: Disk;
  readonly template: string;
  readonly isAuditStrict: boolean;
  readonly onOpen: (services: ControlServices) => void;
  readonly onInternalError: (detail: string) => void;
};

/** Between the failure of a start and the next start. */
const restartMs = 1000;

export class ControlHost {
  readonly machine: Machine = { wallOffsetMs: 0 };
  folder: DiskFolder;
  readonly #options: ControlHostOptions;
  #process: SimProcess | undefined;
  #services: ControlServices | undefined;
  #starts = 0;
  #olderCopy: DiskFolder | undefined;

  constructor(options: ControlHostOptions) {
    this.#options = options;
    this.folder = options.disk.createFolder(options.template);
  }

  get process(): SimProcess | undefined {
    return this.#process?.isAlive ? this.#process : undefined;
  }

  /** The open control plane, and its process. */
  get listener() {
    const services = this.process && this.#services;
    if (!services) return undefined;
    return { ...services, getPort: (instance: string): ControlPort => services.control.executorPort(instance) };
  }

  /** Starts it unless it runs. */
  start(): void {
    const { seed, scheduler } = this.#options;
    if (this.process) return;
    this.#starts += 1;
    const process = new SimProcess({ name: `control#${this.#starts}`, seed, scheduler, machine: this.machine });
    this.#process = process;
    process.onEnd(() => this.#onEnd());
    scheduler.log(process.name, 'starts');
    scheduler.schedule(0, process, () => void this.#open(process));
  }

  async #open(process: SimProcess): Promise<void> {
    const { scheduler, isAuditStrict, onOpen, onInternalError } = this.#options;
    const { clock, random } = process;
    const onError = (thrown: unknown): void => {
      const { code, detail, message } = toVpError(thrown);
      if (!process.isAlive) return;
      scheduler.log(process.name, `error ${code}`);
      if (code === 'INTERNAL' || code === 'AUDIT_LOST') onInternalError(detail ?? message);
    };
    try {
      const folder = this.folder.path;
      const control = await openControl({ folder, clock, random, pid: 1, masterKey, onError });
      const key = { id: 0, bytes: Buffer.from(masterKey, 'base64') };
      const audit = await openAudit({
        folder,
        masterKey: key,
        clock: control.clock,
        random,
        mayDeleteByAge: () => control.clock.isSettled(),
        anchors: { database: control.database, mayBeLost: false },
        settings: { strict: isAuditStrict },
        onError,
      });
      if (!process.isAlive) return;
      this.#services = { process, control, audit };
      onOpen(this.#services);
    } catch (error) {
      onError(error);
      process.end('cannot start');
      scheduler.schedule(restartMs, undefined, () => this.start());
    }
  }

  #onEnd(): void {
    this.#services = undefined;
    this.folder = this.#options.disk.continueFolder(this.folder);
  }

  losePower(): void {
    const { disk, seed } = this.#options;
    disk.loseUnsynced(this.folder, createSeededRandom(`${seed}/control/power/${this.#starts}`));
  }

  /** A copy that a restore takes as its backup, and that the folder may go back to. */
  copyFolder(): void {
    const copy = this.#options.disk.copyFolder(this.folder);
    copy.fault = undefined;
    this.#options.disk.completeCopy(`${copy.path}/control.db`);
    this.#olderCopy = copy;
  }

  /** To the copy; false when there is none. */
  goBack(): boolean {
    if (!this.#olderCopy) return false;
    const { fault } = this.folder;
    this.folder = this.#options.disk.copyFolder(this.#olderCopy);
    this.folder.fault = fault;
    return true;
  }

  /**
   * Ends the control plane, restores the last backup and starts it. The restore crashes at one of its steps when it has more
   * than `points` of them; the next start completes or drops it. `onRestored` is called when the backup may be in force.
   */
  restore(points: number, onRestored: () => void): void {
    const { seed, scheduler } = this.#options;
    if (!this.#olderCopy) return;
    const backup = `${this.#olderCopy.path}/control.db`;
    this.process?.end('ends for a restore');
    const folder = this.folder.path;
    this.#starts += 1;
    const process = new SimProcess({ name: `restore#${this.#starts}`, seed, scheduler, machine: this.machine });
    this.#process = process;
    process.crashAfter(points);
    process.onEnd(() => {
      this.#onEnd();
      onRestored();
      scheduler.schedule(restartMs, undefined, () => this.start());
    });
    const onStep = (step: string): void => {
      if (!process.mayContinue(`before the step "${step}"`)) throw new Error('the process has crashed');
    };
    scheduler.schedule(10, process, () => {
      restoreControl({ backup, folder, clock: process.clock, pid: 1, masterKey, onStep }).then(
        ({ ended, cancelled }) => process.end(`restored: ${ended} runs ended, ${cancelled} cancelled`),
        (error: unknown) => process.end(`cannot restore: ${toVpError(error).code}`),
      );
    });
  }
}
