/** Something that belongs to a process which can be killed: from then on its calls come to nothing, and are never answered. */
export interface Life {
  isOver: boolean;
}

const never = new Promise<never>(() => {});

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}

function wrap(value: unknown, life: Life): unknown {
  if (value instanceof Promise) return value.then((found) => (life.isOver ? never : wrap(found, life)));
  if (Array.isArray(value)) return value.map((one) => wrap(one, life));
  return isObject(value) && Object.values(value).some((one) => typeof one === 'function') ? mortal(value, life) : value;
}

/** The same thing as a process has it that lives as long as `life` says. */
export function mortal<T extends object>(target: T, life: Life): T {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return wrap(member, life);
      return (...args: unknown[]): unknown => (life.isOver ? never : wrap(Reflect.apply(member, target, args), life));
    },
  });
}
