/** The stores that every schedule begins with: made once, because that takes longer than many schedules. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openControl } from '../../../src/control/open-control.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { openAudit } from '../../../src/hub/audit/audit-log.ts';
import { openDatabase } from '../../../src/store/engine.ts';
import { outboxStoreKind } from '../../../src/store/outbox/outbox-schema.ts';
import { createScenarioText } from '../../control/report-fixture.ts';
import { masterKey } from './control-host.ts';
import { createSeededRandom } from './seeded-random.ts';
import { startWallMs } from './sim-process.ts';

export const scenarioId = 'RT-GET-document';

const steps = `## STEPS

### sign in

POST \${INGESTION_URL}/session

- status=200
- capture session = body.id

### create

POST \${INGESTION_URL}/items/\${session}?size=\${size}

- status=200
- capture item = body.id

`;
const around = `
## CASES

| case  | size |
| ----- | ---- |
| small | 1    |
| large | 9    |

## CLEANUP

### remove

DELETE \${INGESTION_URL}/items/\${item}

### sign out

DELETE \${INGESTION_URL}/session/\${session}
`;

/** `bank` runs a scenario of two cases with five requests each, every other instance one of a single request. */
export function createInstanceScenario(instance: string): string {
  const text = createScenarioText(scenarioId);
  return instance === 'bank' ? `${text.replace('## TRIGGER', `${steps}## TRIGGER`)}${around}` : text;
}

/**
 * Folders with new stores; the control plane's has the instances `app` and `bank`, each with one scenario. In
 * `controlWithoutAudit` the first start creates the audit.
 */
export type Template = {
  readonly control: string;
  readonly controlWithoutAudit: string;
  readonly executor: string;
  remove(): void;
};

export async function createTemplate(): Promise<Template> {
  const root = mkdtempSync(join(tmpdir(), 'vp-simulation-template-'));
  const [control, executor] = [join(root, 'control'), join(root, 'executor')];
  const controlWithoutAudit = join(root, 'control-without-audit');
  await createControlFolder(controlWithoutAudit);
  cpSync(controlWithoutAudit, control, { recursive: true });
  await createAudit(control);
  await openDatabase({ file: join(executor, 'executor.db'), createKind: outboxStoreKind }).close();
  return { control, controlWithoutAudit, executor, remove: () => rmSync(root, { recursive: true, force: true }) };
}

const clock = { ...systemClock, nowMs: () => startWallMs };
const random = createSeededRandom('template');

function onError(error: unknown): void {
  throw error;
}

async function createAudit(folder: string): Promise<void> {
  const key = { id: 0, bytes: Buffer.from(masterKey, 'base64') };
  await (await openAudit({ folder, masterKey: key, clock, random, onError })).close();
}

async function createControlFolder(folder: string): Promise<void> {
  const control = await openControl({ folder, clock, random, pid: 1, masterKey, onError });
  for (const id of ['app', 'bank']) {
    await control.instances.create({ instance_id: id }, { name: 'owner' });
    await control.catalogue.write(id, scenarioId, { text: createInstanceScenario(id) }, { name: 'owner' });
  }
  await control.close();
}
