/**
 * The two usual orders, to ignore earlier instructions and to hide something from the user, in other languages than English.
 * Matched in lower case, in the normal form NFKC.
 */

/** By language code, as models follow an order in any language they know. */
const overrides: Readonly<Record<string, string>> = {
  ar: 'تجاهل.{0,30}(?:تعليمات|أوامر|إرشادات)',
  cs: 'ignoruj.{0,30}(?:pokyn|instrukc)',
  da: 'ignorer.{0,25}(?:instruktion|instruks)',
  de: 'ignorier\\w{0,5} (?:alle|die|sämtliche)?.{0,20}anweisungen',
  el: 'αγν[οό][ήη]σ\\p{L}{0,4} .{0,30}(?:οδηγίες|εντολές)',
  es: 'ignora\\w{0,5} (?:todas|las).{0,25}instrucciones',
  fr: 'ignore[rz]? (?:toutes|les).{0,25}(?:instructions|consignes)',
  he: 'התעל[מם]\\p{L}? .{0,30}(?:הוראות|הנחיות)',
  hi: '(?:निर्देश|आदेश).{0,20}(?:अनदेखा|नज़रअंदाज़|उपेक्षा)',
  id: 'abaikan.{0,30}(?:instruksi|perintah)',
  it: 'ignora\\w{0,5} (?:tutte|le).{0,25}istruzioni',
  ja: '(?:指示|命令).{0,10}無視',
  ko: '(?:지시|명령|지침).{0,15}무시',
  nl: 'negeer.{0,30}(?:instructies|aanwijzingen)',
  pl: 'ignoruj.{0,30}(?:instrukcj|polece)',
  pt: 'ignor[ea]r? (?:todas|as|quaisquer).{0,25}instruções',
  ru: 'игнорир\\p{L}{0,5}.{0,30}(?:инструкци|указани)',
  tr: '(?:talimat|yönerge).{0,20}(?:yok say|görmezden gel|dikkate alma)',
  uk: 'ігнору\\p{L}{0,5}.{0,30}(?:інструкц|вказів)',
  vi: 'bỏ qua.{0,20}(?:hướng dẫn|chỉ dẫn|chỉ thị) (?:trước|ở trên)',
  zh: '(?:忽略|无视|無視).{0,12}(?:指令|说明|指示|規則|规则)',
};

const concealments: Readonly<Record<string, string>> = {
  de: '\\b(?:sage?|erzähle?|verrate?) .{0,30}(?:benutzer|nutzer|anwender)\\w{0,5} .{0,15}nicht',
  es: '\\bno (?:le )?(?:digas|informes|menciones|reveles)\\b.{0,30}usuario',
  fr: '\\bne (?:dis|dites|révèle|révélez|mentionne|mentionnez)\\b.{0,30}utilisateur',
  it: '\\bnon (?:dire|informare|avvisare|rivelare)\\b.{0,30}utente',
  ja: '(?:ユーザー|利用者|使用者).{0,10}(?:知らせない|伝えない|言わない|教えない)',
  pt: '\\bnão (?:diga|informe|avise|conte|revele)\\b.{0,30}usuário',
  ru: 'не (?:говори|сообщай|рассказывай)\\p{L}{0,2} .{0,20}пользовател',
  zh: '(?:不要|不得|别).{0,6}(?:告诉|告知|通知|提醒)用户',
};

/** A dot matches within one clause. */
const clauseCharacter = '[^.,;:!?،؛。、，；：]';

const toSources = (orders: Readonly<Record<string, string>>): string[] =>
  Object.values(orders).map((source) => source.normalize('NFKC').replaceAll('.{', `${clauseCharacter}{`));

export const translatedOverridePatterns = toSources(overrides);
export const translatedConcealmentPatterns = toSources(concealments);
