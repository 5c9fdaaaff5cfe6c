/** What the contract says of a type, taken from where it is declared: members, their types as they are written, their comments. */
import { SymbolFlags, type Symbol as TypeSymbol } from 'typescript/unstable/sync';
import { commentOf, type Types } from '../compiler.ts';

export interface Member {
  name: string;
  /** As it is written; of a method each overload. */
  written: readonly string[];
  isOptional: boolean;
  isMethod: boolean;
  comment: string;
}

/** Its own public members, in their order. Throws for one without a comment: it would be a gap in the reference. */
export function membersOf(types: Types, file: string, name: string): Member[] {
  const symbol = types.exported(file, name);
  return [...symbol.getMembers().values()].flatMap((member) => {
    const isMethod = (member.flags & SymbolFlags.Method) !== 0;
    if (member.name.includes('#') || (!isMethod && (member.flags & SymbolFlags.Property) === 0)) return [];
    const comment = commentOf(types, member);
    if (comment === '') throw new Error(`${file}: ${name}.${member.name} has no comment, which the reference needs`);
    const isOptional = (member.flags & SymbolFlags.Optional) !== 0;
    return [{ name: member.name, written: writtenMember(member, isMethod), isOptional, isMethod, comment }];
  });
}

/** What is written above it. */
export function aboutOf(types: Types, file: string, name: string): string {
  return commentOf(types, types.exported(file, name));
}

/** The declaration as written in the source. */
export function writtenType(types: Types, file: string, name: string): string {
  const [node] = types.exported(file, name).declarations.flatMap((handle) => handle.resolve() ?? []);
  if (!node) throw new Error(`${file}: ${name} is declared nowhere`);
  return node.getText().replace(/^export /, '');
}

function writtenMember(member: TypeSymbol, isMethod: boolean): string[] {
  const texts = member.declarations.flatMap((handle) => handle.resolve()?.getText() ?? []);
  return texts.map((text) => oneLine((isMethod ? text : text.replace(/^[^:]*:/, '')).replace(/;$/, '')));
}

function oneLine(text: string): string {
  return text
    .replace(/\/\*\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/\( /g, '(')
    .replace(/,? \)/g, ')')
    .trim();
}
