/**
 * Finds prose in definitions that gives orders to the model that reads them, instead of saying what a tool does. Patterns by purpose,
 * measured in `test/hub/policy/definition-corpus.test.ts`; they find what is usual and are no proof that a definition is harmless.
 */

import { setImmediate } from 'node:timers/promises';
import { findDisguisedProse } from './disguised-text.ts';
import {
  argumentPatterns,
  authorityClaimPatterns,
  encodedOrderPatterns,
  laterPatterns,
  politePatterns,
} from './indirect-orders.ts';
import { replaceLookAlikes } from './look-alikes.ts';
import { findSuspiciousSentence, type SuspiciousSentence } from './prose-signals.ts';
import { translatedConcealmentPatterns, translatedOverridePatterns } from './translated-orders.ts';

type ProsePattern = { readonly purpose: string; readonly pattern: RegExp };

const take =
  '(?:read|cat|open|load|copy|pass|send|include|attach|collect|extract|retrieve|provide|find|supply|forward|give|look for|put)';
const order =
  '(?:first|before|also|must|then|needs?|requires?|please|otherwise|beforehand|to calibrate|in every call|look for)';
const secretFile =
  '(?:\\.ssh\\b|id_rsa|id rsa|id_ed25519|\\.aws\\b|\\.kube\\b|\\.gnupg|\\.netrc|\\.npmrc|\\.git-credentials|\\.env\\b|\\.claude\\b|\\.cursor\\b|mcp\\.json|/etc/(?:passwd|shadow)|\\.pem\\b|credentials\\.json)';
const secretValue =
  '(?:api[ _-]keys?|private keys?|passwords?|session cookies?|environment variables?|[a-z]{1,30}[ _]token\\b|[a-z]{1,30} credentials\\b)';
const person = '(?:users?|human|person|operator|customer|them)';
const every = '(?:all|any|the|your|these|those|every|of|previous|prior|earlier|above|other|safety|system)';
const ruleText = '(?:instructions?|prompts?|rules?|guidelines?|polic(?:y|ies)|messages?|restrictions?)';
const conversation =
  '(?:conversation|chat|message|session|tool)(?: ?s)?[ _](?:history|log|results?|outputs?|descriptions?)|system prompt|(?:previous|prior) (?:messages|tool results)|clipboard';

/** Matched in lower case, with one space for any white space. */
const patterns: readonly ProsePattern[] = [
  ...[
    `\\b(?:ignore|disregard|forget|override)\\b(?: ${every}){0,4} (?:previous|prior|above|earlier|system|safety|other|your|all)\\b.{0,20}\\b${ruleText}`,
    `\\b(?:ignore|disregard|forget|override)\\b(?: ${every}){1,4} (?:system )?${ruleText}`,
    `\\b(?:earlier|previous|above|prior) ${ruleText}\\b.{0,20}\\b(?:void|no longer|not apply|obsolete)`,
    `\\b${ruleText} above no longer`,
    '\\b(?:you are now|from now on you|you now (?:follow|obey))\\b',
    `\\b(?:regardless of|whatever|no matter) (?:what )?(?:the )?${person} (?:ask|say|want|request)`,
    `\\beven if the ${person} (?:say|ask|object|refuse|do not|does not|did not)`,
    ...translatedOverridePatterns,
  ].map((source) => ({ purpose: 'replaces earlier instructions', pattern: new RegExp(source, 'u') })),
  ...[
    `\\b(?:do not|don't|never|must not|without|no need to|need not|not) (?:ever )?(?:tell|mention|inform|notify|alert|reveal|disclos|show|display|let|report)\\w{0,10}\\b.{0,40}\\b${person}\\b`,
    `\\b(?:hide|keep|conceal)\\b.{0,40}\\b(?:from|secret from|invisible to) the ${person}\\b`,
    `\\b${person} (?:must|should|may|need|can) ?not (?:see|know|notice|learn)`,
    `\\b(?:invisible|not visible|hidden) (?:to|from) the ${person}`,
    '\\b(?:silently|secretly|covertly|quietly|discreetly) (?:send|read|call|include|copy|forward|upload|add|run|execute|store|pass)',
    '\\b(?:do|call|run|send) (?:this|it|that) (?:secretly|silently|covertly)',
    `\\bdo not ask the ${person} for (?:permission|confirmation|consent)`,
    '\\bskip (?:any|the|all) (?:confirmation|permission|approval)',
    `\\bexplain to the ${person} only\\b`,
    '\\bfor the (?:model|assistant|agent|llm|ai) only\\b',
    ...translatedConcealmentPatterns,
  ].map((source) => ({ purpose: 'hides something from people', pattern: new RegExp(source, 'u') })),
  ...[
    `\\b${take}\\b.{0,60}${secretFile}.{0,100}\\b${take}\\b`,
    `\\b${order}\\b.{0,60}\\b${take}\\b.{0,40}${secretFile}`,
    `${secretFile}.{0,60}\\b${order}\\b.{0,40}\\b${take}\\b`,
    `\\b${take}\\b.{0,40}${secretFile}.{0,60}\\bso that\\b`,
    `\\bcontents? (?:of|from)\\b.{0,30}(?:${secretFile}|\\bssh\\b)`,
    `${secretValue}.{0,80}\\b(?:and|then) (?:pass|send|include|forward|supply|add|put)\\b`,
    `\\b(?:pass|send|include|collect|extract|provide|find|retrieve)\\b.{0,50}\\b(?:the user's|their|the value of|all|in every call).{0,30}${secretValue}`,
    `\\b${secretValue}: (?:find|read|take)`,
    `\\b(?:send|pass|give|provide|include) (?:me |us )?(?:the |your |their |its |all )?${secretValue}.{0,20}\\b(?:first|along|too|here|to)\\b`,
  ].map((source) => ({ purpose: 'asks for secrets', pattern: new RegExp(source, 'u') })),
  ...[
    `\\b(?:entire|whole|full|complete|all|every|verbatim|copy of|your|contents of the)\\b.{0,25}(?:${conversation})`,
    '\\bprevious messages verbatim|\\beverything (?:you|the user) said',
    '\\b(?:send|upload|forward|post|transmit|append|add|encode|render)\\b.{0,80}(?:https?://|@[a-z0-9-]+\\.|image url)',
    '\\blist of all tools\\b',
    '!\\[[^\\]]{0,40}\\]\\(https?://[^)]{0,200}=',
  ].map((source) => ({ purpose: 'takes data elsewhere', pattern: new RegExp(source, 'u') })),
  ...[
    '\\b(?:before|after|prior to) (?:calling |using |doing |running )?(?:any|every|each|all)(?: other| the other)? (?:tools?|tool call|message|answer)',
    '\\b(?:must|always|has to)\\b.{0,25}\\bfirst in (?:every|each|any) (?:conversation|chat|session)',
    '\\balways (?:call|use|run|invoke|prefer) this tool\\b',
    '\\bcall (?:this tool|[a-z_]{1,60}) at the (?:start|end|beginning) of (?:each|every|your|any)\\b',
    '\\b(?:call|run) [a-z_]{1,60} (?:after each|before each|first) (?:answer|message|response)',
    '\\bthis tool (?:instead|first)\\b.{0,40}\\b(?:all|every|of it)\\b',
    '\\b(?:is|are) (?:broken|unsafe|deprecated|compromised)\\b.{0,60}\\b(?:use|prefer|call) this\\b',
    '\\bdo not use \\S{1,60} of other\\b|\\bof other servers any more\\b|\\b(?:all )?other tools (?:of this kind )?(?:are|return)\\b',
    '\\b(?:when|whenever|if|each time|every time)\\b.{0,60}\\b(?:change|set|replace|add|use) (?:the )?(?:recipient|bcc|cc|account|address|iban|amount|package|dependency)\\b',
    '\\b(?:when|whenever|if|each time|every time) (?:you|asked|the tool)\\b(?:(?!\\. ).){0,60}\\b(?:always|must|instead of|first run|with force)\\b',
    '\\bevery (?:message|answer|file|mail|commit)\\b.{0,40}\\bmust (?:contain|include)\\b',
    '\\b(?:curl|wget)\\b[^|]{0,80}\\| ?(?:ba|z)?sh\\b|\\brm -rf [~/]',
  ].map((source) => ({ purpose: 'steers the use of other tools', pattern: new RegExp(source, 'u') })),
  ...compilePatterns('claims an authority over the model', authorityClaimPatterns),
  ...compilePatterns('asks the model for more than its tool needs', politePatterns),
  ...compilePatterns('says what to do later in the conversation', laterPatterns),
  ...compilePatterns('has the model decode orders', encodedOrderPatterns),
];
const argumentProsePatterns = compilePatterns('has an argument for what no tool needs', argumentPatterns);

function compilePatterns(purpose: string, sources: readonly string[]): ProsePattern[] {
  return sources.map((source) => ({ purpose, pattern: new RegExp(source, 'u') }));
}

/** Matched in the text as it is: marks with which conversations of models are written. */
const roleMark =
  /<\/?(?:important|system|instructions?|secret|admin|hidden|critical|assistant)\b[^>]{0,40}>|\[\/?(?:SYSTEM|INST|ADMIN)\b[^\]]{0,40}\]|<\|[a-z_]{2,20}\|>|^[ \t]*(?:#{1,4} )?(?:system|assistant|developer)(?: message)?[ \t]*:|^[ \t]*#{1,4} (?:system|assistant|developer)(?: message)?[ \t]*$|<!--[^>]{0,20}\b(?:agent|ai|llm|assistant)\b/imu;

export type ProseFinding = { readonly purpose: string; readonly excerpt: string };

export const maxFindingLength = 120;
/** A piece takes a few milliseconds at most; the event loop has its turn after each. */
const pieceLength = 4000;
/** Longer than what any pattern matches. */
const overlapLength = 400;

function* splitIntoPieces(text: string): Generator<string> {
  for (let start = 0; start === 0 || start + overlapLength < text.length; start += pieceLength - overlapLength)
    yield text.slice(start, start + pieceLength);
}

/** The first finding in these texts: descriptions, titles, names of parameters and any other string. */
export async function findSuspiciousProse(texts: readonly string[]): Promise<ProseFinding | undefined> {
  let length = 0;
  for (const text of texts)
    for (const piece of splitIntoPieces(text)) {
      const finding = findOrdersIn(piece);
      if (finding) return finding;
      length += piece.length;
      if (length >= pieceLength) {
        await setImmediate();
        length = 0;
      }
    }
  return undefined;
}

/** Names of arguments with their descriptions: what the agent fills in. */
export function findSuspiciousArgument(texts: readonly string[]): ProseFinding | undefined {
  for (const text of texts)
    for (const piece of splitIntoPieces(text)) {
      const normalized = normalizeProse(piece);
      const finding = findMatch(normalized.replaceAll('_', ' '), argumentProsePatterns);
      if (finding) return finding;
      const sentence = findSuspiciousSentence(normalized);
      if (sentence) return toFinding(sentence);
    }
  return undefined;
}

function toFinding({ topics, text }: SuspiciousSentence): ProseFinding {
  return {
    purpose: `speaks of ${topics.join(', ')}, beyond what a definition says`,
    excerpt: text.slice(0, maxFindingLength),
  };
}

function findMatch(text: string, candidates: readonly ProsePattern[]): ProseFinding | undefined {
  for (const { purpose, pattern } of candidates) {
    const excerpt = pattern.exec(text)?.[0];
    if (excerpt !== undefined) return { purpose, excerpt: excerpt.slice(0, maxFindingLength) };
  }
  return undefined;
}

function normalizeProse(text: string): string {
  return (
    replaceLookAlikes(text.normalize('NFKC'))
      .replaceAll(/[\p{DI}\p{Cc}]/gu, (character) => (/\s/.test(character) ? ' ' : ''))
      .replaceAll(/[\u2018\u2019\u02BC]/gu, "'")
      // Emphasis of Markdown.
      .replaceAll(/[*`]/gu, '')
      .replaceAll(/\s+/gu, ' ')
      .toLowerCase()
  );
}

function findOrdersIn(text: string): ProseFinding | undefined {
  const mark = roleMark.exec(text);
  if (mark)
    return { purpose: 'imitates the marks of a conversation', excerpt: mark[0].trim().slice(0, maxFindingLength) };
  const spaced = normalizeProse(text);
  // Names of parameters are read as words too: `content_from_reading_ssh`.
  for (const variant of new Set([spaced, spaced.replaceAll('_', ' ')])) {
    const finding = findMatch(variant, patterns);
    if (finding) return finding;
  }
  const sentence = findSuspiciousSentence(spaced);
  if (sentence) return toFinding(sentence);
  const disguised = findDisguisedProse(spaced);
  return (
    disguised && { purpose: `hides prose in ${disguised.disguise}`, excerpt: disguised.text.slice(0, maxFindingLength) }
  );
}
