/**
 * Orders that do not read like orders: in somebody else's name, politely, for later, or as the description of an argument. Like the rest
 * of the prose rules they find what is usual and are no proof. Matched in lower case, with one space for any white space.
 */

const agent = '(?:assistants?|llms?|ais?|ai (?:agents?|assistants?|models?|clients?)|language models?|agents?|models?)';
const person = '(?:users?|human|person|operator|customer|client)';
const adverb = '(?:also|always|never|not|first|then|please|kindly|therefore|simply|just|likewise|immediately)';
/** What moves data, or changes what an agent obeys. `use` and `call` are usual in definitions. */
const outgoing =
  '(?:send|forward|copy|include|attach|pass|append|insert|upload|transfer|transmit|disclose|share|submit|paste|mirror|relay|post|report)';
const obedience =
  '(?:follow|obey|comply|treat|consider|trust|ignore|disregard|refrain|omit|skip|bypass|disable|suppress|proceed without|hide|conceal|prioriti[sz]e)';

/** What an agent knows, and no server needs. */
const agentContext = [
  '(?:conversation|chat|dialogue|discussion|session|exchange) (?:so far|up to (?:now|here|this point)|to date|history|transcript|context)',
  '(?:full|entire|whole|complete|current|ongoing|surrounding|preceding) (?:conversation|chat|dialogue|discussion)',
  '(?:your|the) (?:own )?(?:system|initial|hidden|developer) (?:prompt|message|instructions)',
  'your (?:instructions|context|context window|memory|reasoning|configuration|other tools|available tools)',
  'context window',
  '(?:earlier|previous|prior|recent|last few|other|preceding) (?:messages|turns|answers|replies|tool (?:results?|outputs?|calls?|responses?))',
  `(?:what|whatever|anything|everything|all) (?:that )?the ${person} (?:has |have |had )?(?:said|wrote|written|typed|told|shared|entered|pasted|mentioned|uploaded)`,
  `the ${person}'?s? (?:exact|raw|verbatim|full|own|complete) (?:messages?|prompts?|questions?|requests?|words|input)`,
  '(?:names?|list|schemas?|descriptions?) of (?:the |your |all )?(?:the )?(?:other|all|available|installed|connected) (?:tools|servers)',
  '(?:results?|outputs?|responses?) (?:of|from) (?:the |your )?(?:other|previous|earlier|all) (?:tools?|calls?)',
].join('|');
const privateData =
  "(?:\\.ssh\\b|id_rsa|\\.aws\\b|\\.env\\b|\\.netrc|\\.kube\\b|/etc/(?:passwd|shadow)|private keys?|session cookies?|(?:environment|env) (?:variables|vars)|(?:the user's|their|any|all|your|stored|saved|known|other) (?:[a-z]{1,20} )?(?:credentials|passwords?|tokens|api keys?|secrets|keys|card numbers?|personal (?:data|details|information)|contacts|address book|mails?|emails?))";
const courtesy =
  "(?:kindly|please|we(?:'d| would) (?:appreciate|be grateful|love|like)|would be (?:nice|great|helpful|appreciated|kind|lovely|useful|wonderful|grateful)|it helps(?: us)?|is (?:appreciated|customary|courteous|welcome)|feel free to|would you mind|if you could|could you|be so kind|you (?:may|might) (?:wish|want|like) to|thank you for|thanks for|do us a favou?r|ideally|benefits? from|works? (?:best|better) (?:with|when|if))";
const authority =
  '(?:administrators?|admins?|it (?:department|team|security)|security (?:team|officer|department|policy)|compliance(?: team| officer| department)?|management|legal(?: team| department)|company policy|corporate policy|organi[sz]ation policy|data protection officer|platform team|workspace owner|system owner|vendor|developers? of (?:this|the|your)|anthropic|openai|microsoft|google|your (?:creators?|makers?|provider|employer|principal|operator))';
const orderVerb =
  '(?:requires?|mandates?|demands?|orders?|insists?|instructs?|expects?|wants?|has|have|authori[sz]es?|permits?|grants?|asks?|approves?)';
const condition = '(?<!\\b(?:if|unless|until|after|once|when|whether|only|that|before|requires?|where) .{0,20})';

export const authorityClaimPatterns: readonly string[] = [
  `\\b${authority}\\b.{0,15}\\b${orderVerb}\\b.{0,50}\\b(?:you\\b|${agent} (?:to|must|should)|(?:that )?(?:every|all|each|any) (?:call|request|message|answer|session|conversation|${agent})|(?:to |be )?${outgoing}\\w{0,3}\\b|${obedience}\\b|access to (?:all|every))`,
  `\\b(?:by order of|on behalf of|as (?:required|requested|ordered|instructed|mandated|agreed) (?:by|with)|per|under|in line with|pursuant to|according to) (?:the |our |your |a )?(?:new |current )?${authority}\\b.{0,80}\\b(?:${outgoing}|${obedience}|you (?:must|should|have to|are))\\b`,
  `${condition}\\bthe (?:${person}|administrator|admin|owner|account holder) (?:has |have )?(?:already |previously |explicitly |hereby )(?:given |granted )?(?:approv|consent|agree|authori[sz]|confirm|permi)\\w{0,8}`,
  '\\b(?:takes? precedence|supersedes?|overrides?|outranks?|(?:have|has|with|carries|of) (?:a )?(?:higher|highest|top|absolute) (?:priority|authority))\\b.{0,50}\\b(?:instructions?|prompts?|guidelines?|directives?|other tools?|anything (?:else|the user)|what the user)',
  '\\byou are (?:now )?(?:in|running in|operating in|switched to) (?:a |an )?(?:developer|debug|maintenance|admin|god|unrestricted|root|audit|emergency|evaluation) mode',
  `\\b(?:you|the ${agent}) (?:now )?(?:have|has|are granted|is granted|are given|is given|receives?) (?:full|root|admin|administrator|unrestricted|elevated|special) (?:access|rights|privileges|permissions|clearance)`,
  `\\b(?:mandatory|compulsory|obligatory|binding|non-negotiable)\\b.{0,20}\\b(?:for|on|to) (?:all |every |any |each )?(?:the )?(?:ai |calling )?${agent}\\b`,
  `\\b(?:consider|treat|regard|assume|take)\\b.{0,40}\\b(?:consent|approval|permission|confirmation|agreement)\\b.{0,20}\\b(?:given|granted|obtained|implied|present)`,
  `\\b(?:disable|turn off|bypass|suspend|switch off|deactivate|relax|lift|lower)\\b.{0,30}\\b(?:guardrails?|safeguards?|safety (?:checks?|rules|filters?|measures|settings)|moderation|content polic|(?:user|human) (?:confirmation|approval|consent|review|verification))`,
];

export const politePatterns: readonly string[] = [
  `\\b${courtesy}\\b.{0,90}(?:${agentContext}|${privateData})`,
  `(?:${agentContext}|${privateData}).{0,60}\\b(?:would|is|are|will be) (?:much |very |always |greatly )?(?:appreciated|welcome|helpful|useful|treated confidentially|of great help)`,
  `\\b(?:the|any|every|all|each|dear|good|helpful|responsible|well-behaved) (?:calling |reading |connected |ai )?${agent},? (?:(?:is|are) (?:kindly |hereby |therefore |further |politely )?(?:asked|requested|expected|required|advised|encouraged|instructed|invited|obliged|reminded|permitted|authori[sz]ed)(?: not)? to|should|must|shall|needs? to|ha(?:s|ve) to|ought to|will want to|would do well to)(?: ${adverb}){0,2} (?:${outgoing}|${obedience}|read|remember|mention|recommend|not mention)\\b`,
];

const trigger =
  '(?:when|once|if|whenever|as soon as|every time|each time|any time|the moment|after|the next time|next time|should)';
const laterAction = `(?:also |instead |first |silently |always |please |quietly |be sure to |make sure to |remember to |you (?:must|should|will) |then )*(?:${outgoing}|repl(?:y|ies)|respond|answer (?:with|that)|say|claim|recommend|suggest|switch|replace|swap|change the|redirect|add (?:the|our|this) (?:address|account|link|recipient|line)|run (?:the|this) (?:command|script)|read (?:the|their|\\.|~))`;

export const laterPatterns: readonly string[] = [
  `\\b${trigger} (?:the |a |any )?(?:${person}|they|anyone|someone) (?:next |later |then |ever |first |again )?(?:ask|mention|want|say|request|type|talk|open|log|write|discuss|upload|share|approve|confirm|return|need|start|try|thank)\\w{0,4}\\b[^.,;]{0,60}[,:;]? ${laterAction}\\b`,
  `\\b(?:the )?next time\\b.{0,60}\\b(?:${person}|you|anyone|they)\\b.{0,60}\\b(?:${outgoing}|call|use|run|add|say|read|reply|open|replace)\\b`,
  `\\b(?:on|from|after|at) (?:the |its |your |a )?(?:first|second|third|fourth|fifth|tenth|few|several|\\d{1,3}(?:st|nd|rd|th)?) (?:calls?|uses?|messages?|turns?|invocations?|answers?|runs?|requests?)(?: on(?:wards)?)?,? .{0,30}\\b(?:start|begin|switch|${outgoing}|ignore|reveal|activate|follow|behave)\\b`,
  '\\bin (?:all |any |every |your )?(?:later|future|subsequent|further|following|coming) (?:turns?|messages?|answers?|replies|responses?|conversations?)\\b',
  '\\b(?:from now on|henceforth|until further notice|until (?:you are )?(?:told|instructed) otherwise)\\b',
  '\\bfor the (?:rest|remainder) of (?:the|this|your) (?:conversation|session|chat|dialogue),? (?:always|never|you|all|every|treat|do not|send|route|answer|reply|prefer|assume)',
  `\\b(?:remember|memori[sz]e|store|keep) (?:these|this|the following) (?:instructions?|rules?|orders?|commands?)\\b`,
  `\\b(?:wait|stay dormant|do nothing|lie low)\\b.{0,30}\\buntil\\b.{0,60}\\b(?:then|and|before) .{0,20}\\b(?:${outgoing}|call|run|read|replace|activate)`,
];

export const encodedOrderPatterns: readonly string[] = [
  '\\b(?:decode|decrypt|unscramble|deobfuscate|decipher|reverse|rot-?13|base64)\\b.{0,60}\\b(?:and|then|before)\\b.{0,20}\\b(?:follow|obey|execute|carry out|act on|do what|apply|comply)',
  '\\b(?:first|last|initial) (?:letters?|words?) of (?:each|every|the) (?:line|sentence|word)s?\\b.{0,40}\\b(?:follow|spell|form|read|obey|say)',
];

/** Of the name and description of an argument, which the agent fills in. */
export const argumentPatterns: readonly string[] = [
  `(?:${agentContext})`,
  `\\b(?:contents?|text|value|values|copy|dump|lines?|list|output) (?:of|from|in)\\b.{0,40}(?:\\.ssh\\b|id_rsa|\\.aws\\b|\\.env\\b|\\.netrc|\\.kube\\b|/etc/(?:passwd|shadow)|~/|(?:all |the |your )?(?:environment|env) (?:variables|vars)\\b(?! to set)|other tools|keychain|password (?:manager|store|vault)|browser (?:history|cookies))`,
  `\\b(?:credentials?|passwords?|tokens?|keys?|secrets?|cookies?|card)\\b.{0,40}\\b(?:you (?:know|have|saw|see|find|hold|can (?:find|access|read))|from (?:other|another|your|the user's|their) (?:[a-z]{1,15} ?){1,2}|found (?:in|on)|known to you|seen (?:so far|earlier|before)|of the user\\b)`,
  `\\b(?:put|place|paste|insert|dump|copy|fill in|write)\\b.{0,60}\\b(?:conversation|chat|history|context|instructions|memory|tool results?|environment|credentials|passwords?|tokens|secrets|cookies)\\b`,
  `\\b(?:everything|anything|all (?:that )?|whatever|facts?|details?) (?:else )?(?:that )?you (?:know|have learned|remember|learned|found out|were told)\\b`,
];
