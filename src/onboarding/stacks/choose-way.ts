/** Finds a way from the target's network to the control plane, before anything is registered or started. */
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Engine } from '../../containers/engine.ts';
import { runOnce } from '../../containers/one-shot.ts';
import type { ProgramEnd } from '../../process/run-program.ts';
import { addressInside, type ControlPlaneWay, controlFolder } from './way.ts';

/** Where it is tried from; the first candidate that leads there is taken. */
export type WayQuestion = {
  readonly image: string;
  /** The target's network. */
  readonly network: string;
  readonly candidates: readonly ControlPlaneWay[];
  readonly signal?: AbortSignal | undefined;
};

/** A way that leads nowhere, and why, in words for a person. */
export type RefusedWay = { readonly way: ControlPlaneWay; readonly reason: string };

/** `way` is undefined where none leads there. */
export type ChosenWay = {
  readonly way: ControlPlaneWay | undefined;
  /** Of the control plane that answered, where it says. */
  readonly version: string | undefined;
  readonly refused: readonly RefusedWay[];
};

const probeMs = 30_000;

/** What `vp reach` prints. */
const Reached = Type.Object({
  reachable: Type.Boolean(),
  version: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
});

/** Tries one way after the other. Throws ENGINE_*. */
export async function chooseWay(engine: Engine, question: WayQuestion): Promise<ChosenWay> {
  const refused: RefusedWay[] = [];
  for (const way of question.candidates) {
    const { reachable, version, reason = 'nothing answers' } = await tryWay(engine, question, way);
    if (reachable) return { way, version, refused };
    refused.push({ way, reason });
  }
  return { way: undefined, version: undefined, refused };
}

async function tryWay(engine: Engine, question: WayQuestion, way: ControlPlaneWay): Promise<Static<typeof Reached>> {
  const { image, network, signal } = question;
  const isSocket = way.kind === 'socket';
  const ca = isSocket ? undefined : way.ca;
  const end = await runOnce(engine, {
    image,
    network,
    words: ['reach', addressInside(way), ...(ca === undefined ? [] : ['--ca', '-'])],
    ...(ca === undefined ? {} : { input: ca }),
    hosts: isSocket ? [] : (way.hosts ?? []),
    mounts: isSocket ? [`${way.folder}:${controlFolder}`] : [],
    selinuxOff: isSocket && engine.facts.selinux,
    timeoutMs: probeMs,
    signal,
  });
  return toldBy(end) ?? { reachable: false, reason: lastLine(end) };
}

function toldBy({ stdout }: ProgramEnd): Static<typeof Reached> | undefined {
  try {
    const told: unknown = JSON.parse(stdout);
    return Value.Check(Reached, told) ? told : undefined;
  } catch {
    return undefined; // The container did not start: the engine has said why.
  }
}

function lastLine({ kind, stderr }: ProgramEnd): string {
  const lines = stderr.trim().split('\n');
  // The last one only names the engine's own help.
  const said = lines.filter((line) => line !== '' && !/--help/.test(line)).at(-1);
  return said?.slice(0, 300) ?? kind.replaceAll('_', ' ');
}
