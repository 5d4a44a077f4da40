/** Changes to an onboarded machine that users, the engine and the target can make, and what must be said of each. */
import { appendFileSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import type { Test } from 'tap';
import { eventually } from '../eventually.ts';
import type { SmallDisk } from '../storm/small-disks.ts';
import { interruptCommand } from './interrupt-command.ts';
import { createOtherUser } from './other-user.ts';
import { type CommandOutcome, image, secrets, type TestMachine } from './test-machine.ts';

export type MachineChange = {
  readonly name: string;
  act(t: Test): Promise<unknown>;
  /** What doctor must report. */
  readonly doctor?: RegExp;
  /** What the control plane, and with it the console, must know after a while. */
  readonly console?: 'executor away' | 'not ready';
  /** The repair that must suffice; else either of both. `none`: the change harms nothing. */
  readonly only?: 'onboard' | 'none';
  /** What no command can repair: how an onboarding ends, and what the user does. */
  readonly byUser?: { readonly code: number; readonly outcome: RegExp; act(): Promise<unknown> };
};

export type OnboardedMachine = {
  readonly testMachine: TestMachine;
  readonly program: string;
  /** Of the instance and of the target's compose project. */
  readonly name: string;
  readonly url: string;
  /** On which the user's data folder is. */
  readonly disk: SmallDisk;
  readonly onboardArgs: readonly string[];
  onboard(): Promise<CommandOutcome>;
};

/** A file system needs some bytes for its own entries. */
const fullBytes = 65_536;

/** Tries again where a block was taken meanwhile: the disk then refuses the whole filler. */
function fillDisk(disk: SmallDisk): void {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    disk.free();
    disk.fill();
    const { bavail, bsize } = statfsSync(disk.folder);
    if (bavail * bsize < fullBytes) return;
  }
  throw new Error(`${disk.folder} cannot be filled`);
}

/** Changes to the containers and networks of the platform. */
function listEngineChanges({ testMachine: { docker, call, compose }, name }: OnboardedMachine): MachineChange[] {
  const project = `platform-inst-${name}`;
  const [executor, reader] = [`${project}-executor-1`, `${project}-log-reader-1`];
  return [
    {
      name: 'executor stopped',
      act: () => docker('stop', '--time', '1', executor),
      doctor: /^CONTAINER_STOPPED/,
      console: 'executor away',
    },
    {
      name: 'executor killed',
      act: () => docker('kill', executor),
      doctor: /^CONTAINER_STOPPED.*exited \(137\)/,
      console: 'executor away',
    },
    {
      name: 'executor paused',
      act: () => docker('pause', executor),
      doctor: /^CONTAINER_STOPPED.*paused/,
      console: 'executor away',
    },
    { name: 'executor removed', act: () => docker('rm', '--force', executor), doctor: /^CONTAINER_ABSENT.*executor/ },
    { name: 'log reader killed', act: () => docker('kill', reader), doctor: /^CONTAINER_STOPPED.*log-reader/ },
    {
      name: 'router removed',
      act: () => docker('rm', '--force', 'platform-router'),
      doctor: /^PROJECT_ABSENT.*router/,
    },
    {
      name: 'dashboard killed',
      act: () => docker('kill', 'platform-obs-dashboard-1'),
      doctor: /^CONTAINER_STOPPED.*dashboard/,
    },
    {
      name: 'executor detached from the target',
      act: () => docker('network', 'disconnect', name, executor),
      doctor: /^EXECUTOR_OFF_NETWORK/,
    },
    {
      name: 'executor detached from the platform',
      act: () => docker('network', 'disconnect', 'platform-obs', executor),
      doctor: /^EXECUTOR_OFF_NETWORK/,
    },
    {
      name: 'network of the target made anew',
      async act() {
        await docker('network', 'disconnect', '--force', name, executor);
        await compose('down', '--timeout', '1');
        await compose('up', '--detach', '--wait');
      },
      doctor: /^EXECUTOR_OFF_NETWORK/,
    },
    {
      name: 'containers and volumes of the instance removed',
      act: () => call('docker', ['compose', '--project-name', project, 'down', '--volumes', '--timeout', '1']),
      doctor: /^PROJECT_ABSENT/,
      only: 'onboard',
    },
  ];
}

/** Changes to the target and its configuration. */
function listTargetChanges({ testMachine: { docker, pathTo }, name, onboard }: OnboardedMachine): MachineChange[] {
  const app = `${name}-app-1`;
  const writeToken = (token: string): void =>
    writeFileSync(pathTo('product/.env'), `API_TOKEN=${token}\nDATABASE_PASSWORD=${secrets.reader}\n`);
  return [
    {
      name: 'config changed',
      act: async () => appendFileSync(pathTo('product/platform-config.yaml'), '# changed\n'),
      only: 'onboard',
    },
    {
      name: 'token refused',
      async act() {
        writeToken('anotherToken123456');
        await onboard();
      },
      doctor: /^TARGET_REFUSED.*401/,
      byUser: {
        code: 1,
        outcome: /^PARTIALLY SET: the target answered 401 /m,
        act: async () => writeToken(secrets.api),
      },
    },
    {
      name: 'target stopped',
      act: () => docker('stop', '--time', '1', app),
      doctor: /^TARGET_STOPPED/,
      byUser: {
        code: 1,
        outcome: /^PARTIALLY SET: the target does not run: container /m,
        async act() {
          await docker('start', app);
          await eventually(() => docker('inspect', '--format', '{{.State.Health.Status}}', app), {
            timeoutMs: 60_000,
            until: (status) => status.trim() === 'healthy',
            description: 'the target is healthy',
          });
        },
      },
    },
  ];
}

/** Onboardings that are interrupted by Ctrl-C, or by a disk that fills. */
function listDisturbances({ testMachine, program, disk, onboardArgs }: OnboardedMachine): MachineChange[] {
  const { pathTo, variables: env, home: cwd } = testMachine;
  /** Disturbs an onboarding that has something to do, when `step` begins. */
  const disturbAt = (step: string, disturb: Parameters<typeof interruptCommand>[0]['disturb']) => {
    appendFileSync(pathTo('product/platform-config.yaml'), '# changed\n');
    const isMoment = (event: { event: string; step?: string }): boolean =>
      event.event === 'step_started' && event.step === step;
    return interruptCommand({ program, args: onboardArgs, env, cwd, isMoment, disturb });
  };
  return [
    {
      name: 'Ctrl-C while the connection is searched',
      act: () => disturbAt('way', (child) => child.kill('SIGINT')),
      only: 'onboard',
    },
    {
      name: 'Ctrl-C while the executor is started',
      act: () => disturbAt('instance', (child) => child.kill('SIGINT')),
      only: 'onboard',
    },
    {
      name: 'disk full',
      act: async () => fillDisk(disk),
      doctor: /^DISK_SHORT/,
      console: 'not ready',
      byUser: { code: 4, outcome: /of disk space left, and 64 MiB are needed/, act: async () => disk.free() },
    },
    {
      name: 'disk full in the middle of an onboarding',
      async act(t) {
        const { code, events, stderr, isDisturbed } = await disturbAt('way', () => fillDisk(disk));
        disk.free();
        t.ok(isDisturbed);
        const end = `${stderr}${JSON.stringify(events.slice(-2))}`;
        t.equal(code, 3, `registered, and not ready: ${end}`);
        t.match(end, /no space|disk is full/i, 'the true reason');
      },
      only: 'onboard',
    },
  ];
}

/** What another user of the machine does, whose home stays until the end. */
function listOtherUserChanges(machine: OnboardedMachine): MachineChange[] {
  const { testMachine, program, name, url } = machine;
  const { docker, pathTo } = testMachine;
  const otherInstance = `${name}-two`;
  const connection = ['--control-plane', url];
  async function act(t: Test): Promise<void> {
    // They start one of their own, which serves everybody.
    await docker('rm', '--force', 'platform-router');
    const other = createOtherUser(testMachine, program);
    machineTeardown.push(other.removeHome);
    const variables = { VP_TOKEN: readFileSync(pathTo('.local/share/vp/owner.key'), 'utf8').trim() };
    const onboardArgs = ['onboard', '--instance-id', otherInstance, ...connection, '--image', image];
    const { code, stdout, stderr } = await other.vp(onboardArgs, variables);
    t.equal(code, 1, `${stdout}${stderr}`);
    t.match(stdout, /^PARTIALLY SET: the dashboard is not set up: .* belong to another user \(/m);
    t.match(stdout, new RegExp(`${otherInstance}, executor REGISTERED`), 'everything else is');
    t.match(stdout, /test agent +16 tools/, 'their agents use the router of this machine');
    const foreign = await other.vp(['teardown', '--instance-id', name, ...connection], variables);
    t.equal(foreign.code, 2, foreign.stdout);
    t.match(foreign.stderr, /belong to another user .*INSTANCE_OF_ANOTHER/, 'the first user’s instance is left alone');
    const own = await other.vp(['teardown', '--instance-id', otherInstance, ...connection], variables);
    t.match(own, { code: 0, stdout: new RegExp(`^REMOVED: ${otherInstance}$`, 'm') }, own.stderr);
    t.match(own.stdout, /kept {5}platform-router and platform-obs: they serve/);
  }

  return [{ name: 'router removed, and another user onboards and tears down', act, only: 'none' }];
}

const machineTeardown: (() => void)[] = [];

/** Removes what changes have made outside the machine. */
export function removeChanges(): void {
  for (const remove of machineTeardown.splice(0)) remove();
}

export function listMachineChanges(machine: OnboardedMachine): readonly MachineChange[] {
  return [
    ...listEngineChanges(machine),
    ...listTargetChanges(machine),
    ...listDisturbances(machine),
    ...listOtherUserChanges(machine),
  ];
}
