/**
 * The target's log: how soon after it is written the run's line is seen, and how much noise goes by meanwhile. From a file,
 * against a bare reader of that file; through the log reader, against a bare client of the same engine (one of ours that
 * keeps logs in memory and speaks as real ones do).
 */
import { appendFileSync, watch as watchFolder, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { request } from 'node:http';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLogReader } from '../../src/assemble/log-reader.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import type { LogSource } from '../../src/logs/log-source.ts';
import { openFileSource } from '../../src/logs/sources/file-source.ts';
import { openReaderSource } from '../../src/logs/sources/reader-source.ts';
import { startFakeEngine } from '../logs/reader/fake-engine.ts';
import type { BenchContext } from './bench-context.ts';
import { inTurns, median, series } from './measure.ts';
import type { Row } from './row.ts';

const noiseLines = 200_000;
const limitMs = 20_000;
const id = 'tr-20261120T143012345-bench';
const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const chunkBytes = 262_144;

/** Writes the line, and before it, where asked, all the noise. */
type Write = (line: string, withNoise: boolean) => void;
/** Resolves when a line with the text was seen. `begin` is called first. */
type Begin = (text: string) => { readonly observed: Promise<void> };

/** Milliseconds from before `write` until the line was seen. */
async function measureDelay(write: Write, begin: Begin, withNoise = false): Promise<number> {
  const text = `${id}-${systemRandom.token(6)}`;
  const { observed } = begin(text);
  await sleep(5); // Whoever waits has begun to wait.
  const startMs = performance.now();
  write(`{"level":30,"reqId":"${text}"}`, withNoise);
  await observed;
  return performance.now() - startMs;
}

function beginOn(source: LogSource): Begin {
  return (text) => {
    const watch = source.watch(text);
    const look = async (): Promise<void> => {
      while (watch.lines.length === 0) if (!(await watch.changed(limitMs))) throw new Error('the line was not seen');
      watch.stop();
    };
    return { observed: look() };
  };
}

/** What is left when nothing can rotate and nothing is kept: an event, a read, a search. */
async function bareFile(path: string) {
  const file = await open(path);
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let { size: position } = await file.stat();
  let expectedText = '';
  let onMatch = (): void => {};
  let reading = Promise.resolve();
  const read = async (): Promise<void> => {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      if (expectedText !== '' && buffer.subarray(0, bytesRead).includes(expectedText)) onMatch();
    }
  };
  const watcher = watchFolder(dirname(path), (_event, name) => {
    if (name === basename(path)) reading = reading.then(read);
  });
  const begin: Begin = (text) => {
    const { promise: observed, resolve } = Promise.withResolvers<void>();
    expectedText = text;
    onMatch = resolve;
    return { observed };
  };
  const close = async (): Promise<void> => {
    watcher.close();
    await reading;
    await file.close();
  };
  return { begin, close };
}

/** A client of the engine that searches what comes, and knows nothing of frames and lines. */
function bareClient(socketPath: string, containerId: string) {
  let expectedText = '';
  let onMatch = (): void => {};
  const path = `/containers/${containerId}/logs?follow=1&tail=0`;
  const tailRequest = request({ socketPath, path, agent: false }, (answer) => {
    answer.on('data', (chunk: Buffer) => expectedText !== '' && chunk.includes(expectedText) && onMatch());
  });
  tailRequest.on('error', () => {}).end();
  const begin: Begin = (text) => {
    const { promise: observed, resolve } = Promise.withResolvers<void>();
    expectedText = text;
    onMatch = resolve;
    return { observed };
  };
  return { begin, close: () => tailRequest.destroy() };
}

function noise(): string[] {
  return Array.from({ length: noiseLines }, (_, n) => `{"level":30,"reqId":"tr-other-${n}","msg":"request completed"}`);
}

type LogReaders = {
  readonly logSource: Begin;
  readonly bare: Begin;
  readonly write: Write;
  readonly writeToBare: Write;
};

/** Two rows: how soon, and how many. */
async function measureRows(name: string, floor: string, readers: LogReaders, quick: boolean): Promise<Row[]> {
  const { logSource, bare, write, writeToBare } = readers;
  const soon = series(() => measureDelay(write, logSource));
  const bareSoon = series(() => measureDelay(writeToBare, bare));
  await inTurns(quick ? 10 : 100, [soon, bareSoon], 5);
  const many = series(() => measureDelay(write, logSource, true));
  const bareMany = series(() => measureDelay(writeToBare, bare, true));
  await inTurns(quick ? 2 : 7, [many, bareMany], 1);
  const rate = (ms: number): number => (noiseLines / ms) * 1000;
  return [
    {
      measured: `log line written → seen, ${name}`,
      value: median(soon.samples),
      unit: 'ms',
      floor: { what: floor, value: median(bareSoon.samples) },
    },
    {
      measured: `${noiseLines.toLocaleString('en')} other log lines, ${name}`,
      value: rate(median(many.samples)),
      unit: 'lines/s',
      floor: { what: floor, value: rate(median(bareMany.samples)) },
    },
  ];
}

async function ofFile({ fresh, quick }: BenchContext): Promise<Row[]> {
  const [path, barePath] = [fresh('app.log'), fresh('bare.log')];
  for (const file of [path, barePath]) writeFileSync(file, '');
  const source = openFileSource({ path, clock: systemClock });
  const bare = await bareFile(barePath);
  await source.ready(limitMs);
  try {
    const all = `${noise().join('\n')}\n`;
    const writeTo =
      (file: string): Write =>
      (line, withNoise) =>
        appendFileSync(file, `${withNoise ? all : ''}${line}\n`);
    const [write, writeToBare] = [writeTo(path), writeTo(barePath)];
    return await measureRows(
      'file',
      'bare reader',
      { logSource: beginOn(source), bare: bare.begin, write, writeToBare },
      quick,
    );
  } finally {
    await source.close();
    await bare.close();
  }
}

async function ofReader({ fresh, quick }: BenchContext): Promise<Row[]> {
  const endings: (() => unknown)[] = [];
  const engine = await startFakeEngine({ teardown: (action) => endings.push(action) });
  const [app, other] = [engine.add('app'), engine.add('bare')];
  const socketPath = fresh('r.sock');
  const environment = { clock: systemClock, random: systemRandom };
  const reader = await startLogReader({ environment, engine: engine.engine, socketPath, log: silent });
  const source = openReaderSource({ socketPath, services: ['app'], clock: systemClock });
  const bare = bareClient(engine.socketPath, other.id);
  await source.ready(limitMs);
  while (app.followers.size === 0 || other.followers.size === 0) await sleep(5);
  const framed = engine.framed(noise());
  const writeTo =
    (container: typeof app): Write =>
    (line, withNoise) => {
      if (withNoise) engine.send(container, framed);
      engine.send(container, engine.framed([line]));
    };
  try {
    const readers = { logSource: beginOn(source), bare: bare.begin, write: writeTo(app), writeToBare: writeTo(other) };
    return await measureRows('log reader', 'bare client of the engine', readers, quick);
  } finally {
    await source.close();
    bare.close();
    await reader.close();
    for (const end of endings.reverse()) await end();
  }
}

/** Four rows. */
export async function logs(context: BenchContext): Promise<Row[]> {
  return [...(await ofFile(context)), ...(await ofReader(context))];
}
