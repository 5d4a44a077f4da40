/**
 * Signs that a sentence speaks to a model about more than its own tool. Each is usual in definitions, and few sentences have several. The
 * weights are those of a logistic regression on `test/hub/policy/corpus`, so that a sentence counts by what it combines.
 */

type Signal = { readonly label: string | undefined; readonly weight: number; readonly pattern: RegExp };

/**
 * Matched in lower case, with one space for any white space. A sentence that only describes weighs less. Parsing the patterns takes
 * milliseconds, which no start should take.
 */
const createSignals = (): readonly Signal[] => [
  {
    label: 'the conversation',
    weight: 2.5,
    pattern:
      /\b(?:conversation|chat|dialogue|discussion|transcript|session)\b(?! (?:id|key|token|type|name))|\b(?:previous|earlier|recent|last|prior|surrounding|preceding)\b.{0,20}\b(?:messages?|prompts?|turns|things|tool|words|questions?|answers?)|\b(?:chain of thought|system prompt|your instructions|reasoning)\b|\bwhat (?:else )?(?:is going on|the (?:user|person|human|customer))|\bthe (?:user|person|human|customer)(?:'s)? (?:(?:has|have|is|was|had) )?(?:been )?(?:said|says|wrote|writes|told|typed|discuss\w*|working on|shared|asked for|question|words)/u,
  },
  {
    label: 'secrets',
    weight: 1.6,
    pattern:
      /\b(?:passwords?|passphrases?|credentials?|api keys?|private keys?|access tokens?|bearer tokens?|session keys?|tokens?|secrets?|cookies?|card numbers?|one-time code|environment|configuration files?|home directory|mailbox|bank statement|iban|beneficiary|ssn)\b|\.env\b|~\/|\.ssh|\.aws|id_rsa/u,
  },
  {
    label: 'handing data on',
    weight: 2.2,
    pattern:
      /\b(?:send|forward|copy|include|attach|pass|append|add|insert|upload|post|share|sharing|give|hand over|supply|provide|come along|put|save|mention|swap|replace|set|switch|embed|back up|bcc|blind copy|let us have|mirror|encode|tell us|paste|transmit|report|import|write)\b/u,
  },
  {
    label: 'an address or a party outside',
    weight: 2.3,
    pattern:
      /\b[\w.+-]+@[\w-]+\.\w|https?:\/\/|\+\d{5,}|\b(?:to|with|for|tell|help|let|give) us\b|\b(?:our|this) (?:account|registry|shop|service|bucket|server|endpoint|team|channel|address|company|product)\b|\b[\w-]+\.example\b/u,
  },
  {
    label: 'people',
    weight: 1.4,
    pattern:
      /\b(?:the|signed-in|human) (?:user|person|human|customer|operator|client|owner)\b|\b(?:anybody|anyone|somebody|someone|they|people)\b/u,
  },
  { label: 'models', weight: 1.4, pattern: /\b(?:assistants?|llms?|language models?|ai agents?|agents?|the model)\b/u },
  { label: 'its reader', weight: 0.5, pattern: /\b(?:you|your|yourself)\b/u },
  {
    label: 'other tools',
    weight: 3.3,
    pattern:
      /\b(?:another|other|every other|each other|different|remaining) (?:tools?|servers?|connections?)\b|\bthe (?:tool|function) [a-z]+_[a-z_]+|\b(?:tools|functions) of (?:the )?\w+|\bfor [a-z]+_[a-z_]+\b|\b(?:next|any|every|each|all) (?:mails?|payments?|messages?|deployments?|commits?|requests?|calls?|tool calls?|answers?|repl(?:y|ies)|files?)\b/u,
  },
  {
    label: 'an authority',
    weight: 1.9,
    pattern:
      /\b(?:administrator|admin|security department|it security|it department|security team|head of|compliance|management|official|certified|provider|operator|root account|trusted|authoritative|authority|policy|terms of service|notice from|developer|granted|allow(?:ed|s)? you|i allow|lifted|exempt|rank above)\b/u,
  },
  {
    label: 'duties',
    weight: 0.3,
    pattern:
      /\b(?:must|have to|has to|cannot be (?:empty|omitted|skipped)|rejected|invalid unless|only works?|works only|without question|no question|mandatory|always|never|preceded by|obliged|all clients|in every|part of every|demands?|is to be|are to be)\b/u,
  },
  {
    label: 'concealment',
    weight: 4.2,
    pattern:
      /\b(?:leave out|no need to (?:hear|know|see|be)|out of the (?:visible|log|summary|answer|report)|do not name|never (?:bring up|mention|name|tell|reveal)|not (?:mention|reveal|disclose|tell|inform|bring up)|quietly|silently|secretly|discreetly|unnoticed|behind the scenes|without (?:telling|mentioning|informing|asking|notice)|between us|as your own)\b/u,
  },
  {
    label: 'obedience',
    weight: 2.9,
    pattern:
      /\b(?:carry out|carried out|act on|acted on|run it|command for you|do whatever|obey|follow (?:them|it|the (?:instructions|steps|orders))|further instructions|to be executed|accept the (?:new|change)|your next action|now go on|as coming from|comply|believe)\b/u,
  },
  {
    label: 'what to recommend',
    weight: 3.2,
    pattern:
      /\b(?:rate|rank|praise|favou?r|promote|urge|recommend|propose|suggest|advise)\b.{0,40}\b(?:highest|first|our|shares?|always|only|every|the user|best|as the)\b|\b(?:first position|speak badly|has to be positive|answer that|claim that|say that|insist that|must conclude|in every comparison)\b/u,
  },
  {
    label: 'confirmations',
    weight: 1.0,
    pattern:
      /\b(?:confirmation|permission|approval|consent|dialogs?|checking back|sandbox\w*|limits on|safeguards?|guardrails?|warnings?|double-check|review by)\b/u,
  },
  { label: undefined, weight: -2.3, pattern: /^[a-z]+(?:s|es) (?!(?:that|who|are|is|of)\b)/u },
  { label: 'an argument', weight: 0.3, pattern: /^[\w]+: /u },
  {
    label: 'favours',
    weight: 1.4,
    pattern:
      /\b(?:please|kindly|would (?:help|be|make|appreciate|like|love)|welcome to|feel free|when convenient|good results|improves? the|great help|helps us|thank|appreciate[ds]?|quality assurance|to personali[sz]e|care about|you may|choose to|in your own interest)\b/u,
  },
];

let signals: readonly Signal[] | undefined;

/** Below it are all but a few clean sentences of the corpus. */
const threshold = 4.2;
const maxLabels = 4;
const sentenceEnd = /(?<=[.!?;]) /;

export type SuspiciousSentence = { readonly topics: readonly string[]; readonly text: string };

/** The first sentence that combines too many signals; `text` is normalized, and that of an argument starts with its name and a colon. */
export function findSuspiciousSentence(text: string): SuspiciousSentence | undefined {
  signals ??= createSignals();
  for (const sentence of text.split(sentenceEnd)) {
    const matches = signals.filter(({ pattern }) => pattern.test(sentence));
    if (matches.reduce((sum, { weight }) => sum + weight, 0) < threshold) continue;
    const topics = matches.toSorted((a, b) => b.weight - a.weight).flatMap(({ label }) => label ?? []);
    return { topics: topics.slice(0, maxLabels), text: sentence };
  }
  return undefined;
}
