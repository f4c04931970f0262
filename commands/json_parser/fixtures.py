"""The 10,000 texts that are parsed: templates, the same in every run, and what a seed makes of them.

    python3 fixtures.py templates.bin      writes the templates, for src/bench.cpp

A template is a text with holes. A seed puts the templates into an order and fills the holes, so no text and no
result is known before a run. src/bench.cpp does the same as texts_of(), draw for draw.
"""

import random
import struct
import sys

TEMPLATES = 10_000

# Holes are control characters that no template has otherwise.
NUMBER = b"\x01"  # a whole number below a million
WORD = b"\x02"  # one of the words, as the inside of a string
HEX = b"\x03"  # four hexadecimal digits, no surrogate
FRAGMENT = b"\x04"  # one of the fragments, a whole value

WORDS = [word.encode() for word in (
    "amber basin cedar delta ember fjord grove harbour inlet jasmine kettle lantern meadow nectar orchard pebble "
    "quarry ripple saddle thicket umbra valley willow yonder zephyr anchor bramble copper drizzle estuary "
    "Zürich København Łódź Αθήνα 東京 서울 नमस्ते 🦊 😀 naïve "
    r"say\"so back\\slash a\/b tab\there line\nbreak \u00e9t\u00e9 \u6771\u4eac \ud83d\ude80 \b\f\r nul\u0000"
).split()]

FRAGMENTS = [
    b'{"id":\x01,"label":"\x02 \x02","on":true}',
    b'{"x":\x01.\x01,"y":-\x01.\x01,"z":0.\x01}',
    b'["\x02","\x02","\x02"]',
    b'{"code":"\x03-\x03","note":null,"tags":["\x02","\x02"],"size":\x01}',
    b'[\x01,\x01.\x01,-\x01e-3,\x01.\x01E+2]',
    b'{"\x02":"\x02","\x02":\x01,"\x02":[true,false,null]}',
    b'{"from":{"city":"\x02","zip":"\x01"},"to":{"city":"\x02","zip":"\x01"},"km":\x01.5}',
    b'"\x02 \x02 \\u\x03 \x02"',
]

NUMBERS = [number.encode() for number in (
    "0 -0 0.0 -0.0 -0e5 1 -1 10 1e0 1E5 1e+5 1e-5 0e0 0e999999 0.1 0.30000000000000004 123456789012345678 "
    "9007199254740991 9007199254740992 9007199254740993 9007199254740994.999999 18446744073709551615 "
    "18446744073709551616 -9223372036854775808 1e22 1e23 8.5e22 1.7976931348623157e308 1.7976931348623158e308 "
    "-1.7976931348623157E+308 5e-324 4.9e-324 3e-324 2.4703282292062327e-324 2.4703282292062328e-324 "
    "2.2250738585072014e-308 2.2250738585072011e-308 1e-400 -1e-400 123e-1000 0.000001 1e-7 "
    "100000000000000000000000000000000000000000 1.00000000000000011102230246251565404 "
    "1.00000000000000011102230246251565405 6.02214076e23 -1.602176634e-19 3.14159265358979323846264338327950288"
).split()] + [b"0." + b"0" * 400 + b"1e401", b"1" + b"0" * 300 + b"e-300", b"9" * 308, b"0." + b"3" * 800]

# What is no JSON, for a parser that obeys RFC 8259 and src/parser.h.
INVALID = [
    # values
    b"", b" ", b"\n\t", b"nul", b"nulL", b"nullx", b"truefalse", b"True", b"tru", b"undefined", b"'a'", b"#1", b"1 2",
    b"1,", b"[1]x", b"[1]\x00", b"\x00[1]", b"[1]//", b"/**/[1]", b"\xa0[1]", b"\x0b1", b"\x0c1",
    # a byte order mark
    b"\xef\xbb\xbf[1]", b"[1]\xef\xbb\xbf",
    # numbers
    b"NaN", b"-NaN", b"Infinity", b"-Infinity", b"inf", b"-", b"+1", b"01", b"-01", b"00", b"0x10", b"1.", b"-1.",
    b".5", b"-.5", b"1.e5", b"1e", b"1e+", b"1E-", b"1.5e", b"1e5.5", b"1_000", b"1e400", b"-1e400", b"9" * 400, b"[1e309]",
    b"1.7976931348623159e308",
    # arrays
    b"[", b"]", b"[1", b"[1,", b"[1,]", b"[,1]", b"[,]", b"[1 2]", b"[1,,2]", b"[1;2]", b"[1}", b"[]]",
    # objects
    b"{", b"}", b"{]", b'{"a"', b'{"a":', b'{"a":1', b'{"a":1,', b'{"a":1,}', b"{,}", b'{"a",1}', b'{"a" 1}', b"{a:1}",
    b'{"a":1 "b":2}', b'{"a":1,,"b":2}', b"{'a':1}", b"{1:2}", b"{null:1}", b'{"a"::1}', b'{"a":}', b"{:1}",
    # strings and escapes
    b'"', b'"a', b'"\\', b'"\\"', b'"a"b"', b'"\\x41"', b'"\\a"', b'"\\\'"', b'"\\u"', b'"\\u12"', b'"\\u12g4"',
    b'"\\u 123"', b'"\\u+123"', b'"\\U00e9"', b'"\\u00e"',
    b'"\x1f"', b'"\x00"', b'"tab\there"', b'"line\nbreak"',
    b'"\r"',
    # surrogates that are not a pair: they are no characters, so no UTF-8 can hold them
    b'"\\ud800"', b'"\\udbff"', b'"\\udc00"', b'"\\udfff"', b'"\\ud800x"', b'"\\ud800\\n"', b'"\\ud800\\ud800"',
    b'"\\ud83d\\u0041"', b'"\\ude00\\ud83d"', b'"\\ud83d\\ude0"', b'"\\ud83d\\"', b'"\\ud83d\\ud83d\\ude00"',
    b'{"\\udead":1}', b'"\\ud83dude00"',
    # invalid UTF-8: a lone continuation, cut short, overlong, a surrogate, above U+10FFFF, Latin-1
    b'"\x80"', b'"\xbf"', b'"\xc3"', b'"\xc3("', b'"\xe2\x82"', b'"\xe2(\xa1"', b'"\xf0\x9f\xa6"', b'"\xf0\x9f"',
    b'"\xc0\x80"', b'"\xc1\xbf"', b'"\xe0\x80\x80"', b'"\xe0\x9f\xbf"', b'"\xf0\x80\x80\x80"', b'"\xf0\x8f\xbf\xbf"',
    b'"\xed\xa0\x80"', b'"\xed\xbf\xbf"', b'"\xf4\x90\x80\x80"', b'"\xf5\x80\x80\x80"', b'"\xff"', b'"\xfe\xff"',
    b'"caf\xe9"', b'{"\xe9":1}',
    # nesting: too deep by one, without an end, with one bracket too many
    b"[" * 513 + b"]" * 513, b'{"a":' * 513 + b"1" + b"}" * 513, b"[" * 20_000, b'[{"a":' * 10_000,
    b"[" * 20 + b"]" * 21,
]

CORNERS = [
    b"{}", b"[]", b"[[]]", b"[{}]", b'{"":\x01}', b'""', b'"\x02"', b"\x01", b"-\x01", b"null", b"true", b"false",
    b" \t\r\n[ \t\r\n\x01 \t\r\n, \t\r\n\x01 ] \t\r\n",
    # as deep as is allowed
    b"[" * 512 + b"]" * 512, b'{"a":' * 512 + b"\x01" + b"}" * 512, b'[{"a":' * 256 + b'"\x02"' + b"}]" * 256,
    # The last name counts, also where it is written differently, and its value replaces a whole value.
    b'{"a":\x01,"a":\x01}', b'{"a":{"b":\x01},"a":[\x01],"c":\x01,"a":"\x02"}',
    b'{"\\u0061":\x01,"a":\x01,"\\u0061":\x01}',
    b'{"b":\x01,"a":\x01,"b":{"a":\x01,"a":\x01},"a":\x01,"b":\x01}',
    b'{"\xc3\xa9":\x01,"\\u00e9":\x01,"e":\x01}',
    # The order of bytes is not that of UTF-16: U+FF61 comes before U+1F600.
    b'{"\\ud83d\\ude00":\x01,"\\uff61":\x01,"\xc3\xbf":\x01,"z":\x01,"Z":\x01,"":\x01,'
    b'"aa":\x01,"a":\x01,"a\\u0000":\x01}',
    # The first and the last character of each length.
    b'"\\u0000\\u001f\\u007f\\u0080\\u07ff\\u0800\\ud7ff\\ue000\\uffff\\ud800\\udc00\\udbff\\udffe"',
    b'"\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"',
    b'"\\\\ud800 \\" \\/ \\b\\f\\n\\r\\t"', b'"\\uD83D\\uDE00\\uAbCd"',
]
# The last low surrogate there is. No other template has it: a parser that is wrong about it alone is wrong about one
# text in 10,000.
CORNERS.append(b'["\x02","\\ud83f\\udfff"]')


def document(choice):
    """A document such as programs exchange."""
    kind = choice.randrange(6)
    if kind == 0:
        return (b'{"id":\x01,"name":"\x02 \x02","email":"\x02@\x02.example","active":%s,"score":\x01.\x01,'
                b'"tags":["\x02","\x02","\x02"],'
                b'"address":{"street":"\x02 \x01","city":"\x02","zip":"\x01"},"extra":\x04}'
                % choice.choice([b"true", b"false", b"null"]))
    if kind == 1:
        points = b",".join(b"[1700\x01,%s]" % choice.choice([b"\x01.\x01", b"0.\x01", b"-\x01e-4", b"\x01"])
                           for _ in range(choice.randint(5, 25)))
        return b'{"series":"cpu.\x02","unit":"%","points":[' + points + b"]}"
    if kind == 2:
        return (b'{"level":"%s","at":"2024-05-\x01T\x01Z",'
                b'"message":"\x02 \x02: \\"\x02\\" at \\\\\x02\\n\\tin \x02 (\x02:\x01)",'
                b'"context":\x04,"trace":"\x03\x03\x03\x03"}' % choice.choice([b"info", b"warning", b"error"]))
    if kind == 3:
        ring = b",".join(b"[%d.\x01\x01,-%d.\x01\x01]" % (choice.randrange(180), choice.randrange(90))
                         for _ in range(choice.randint(4, 16)))
        return b'{"type":"Polygon","name":"\x02","coordinates":[[' + ring + b"]]}"
    if kind == 4:  # pretty-printed
        items = b",\n".join(b'    {\n      "sku": "\x03-\x03",\n      "quantity": \x01,\n      "price": \x01.99\n    }'
                            for _ in range(choice.randint(1, 6)))
        return b'{\n  "order": \x01,\n  "items": [\n' + items + b'\n  ],\n  "comment": "\x02 \x02"\n}\n'
    return b"[" + b", ".join([FRAGMENT] * choice.randint(2, 6)) + b"]"


# The codes of characters of one, two, three and four bytes; surrogates, and U+FFFF, are left out.
CODES = ((0x20, 0x7F), (0x80, 0x7FF), (0x800, 0xD7FF), (0xE000, 0xFFFE), (0x10000, 0x10FFFF))


def hard_string(choice):
    """Characters of every length, written as they are or as escapes, without any that ends in \\udfff."""
    text = b""
    for _ in range(choice.randint(3, 20)):
        low, high = choice.choice(CODES)
        code = choice.randint(low, high)
        if code > 0xFFFF and code & 0x3FF == 0x3FF:
            code -= 1
        if code in (0x22, 0x5C) or choice.random() < 0.5:
            for unit in struct.unpack(">%dH" % (1 + (code > 0xFFFF)), chr(code).encode("utf-16-be")):
                text += (b"\\u%04x" if choice.random() < 0.5 else b"\\u%04X") % unit
        else:
            text += chr(code).encode()
    return b'"' + text + b'"'


INSERTED = (b",", b"}", b"]", b'"', b"\\", b"0", b"-", b" ", b"\xff", b"\xc3\xa9", b":", b"e")


def damaged(choice):
    """A document with one thing wrong, or not even wrong: the reference knows."""
    text = bytearray(document(choice))
    at = choice.randrange(len(text))
    kind = choice.randrange(4)
    if kind == 0:
        del text[at:]
    elif kind == 1:
        del text[at]
    elif kind == 2:
        text[at:at] = choice.choice(INSERTED)
    else:
        text[at] = choice.choice(b' ",:[]{}\\0e-x\x80')
    return bytes(text)


def templates():
    choice = random.Random(8259)  # any number would do, but it must stay the same
    texts = CORNERS + INVALID + NUMBERS
    texts += [b"[" + b",".join(choice.sample(NUMBERS, 5)) + b"]" for _ in range(400)]
    texts += [hard_string(choice) for _ in range(400)]
    texts += [b'{"\x02":%s,"a":\x04,"\x02":\x01,"a":\x01}' % hard_string(choice) for _ in range(200)]
    texts += [damaged(choice) for _ in range(600)]
    texts += [document(choice) for _ in range(TEMPLATES - len(texts))]
    return texts


def draws(seed):
    """splitmix64: some lines in either language."""
    mask = (1 << 64) - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        value = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & mask
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
        yield value ^ (value >> 31)


def filled(template, draw):
    text = bytearray()
    for byte in template:
        if byte > 4 or byte == 0:
            text.append(byte)
        elif byte == 1:
            text += b"%d" % (next(draw) % 1_000_000)
        elif byte == 2:
            text += WORDS[next(draw) % len(WORDS)]
        elif byte == 3:
            text += b"%04x" % (next(draw) % 0xD800)
        else:
            text += filled(FRAGMENTS[next(draw) % len(FRAGMENTS)], draw)
    return bytes(text)


def texts_of(seed):
    """The texts of a run, in the order in which they are parsed."""
    draw = draws(seed)
    order = templates()
    for i in range(len(order) - 1, 0, -1):
        j = next(draw) % (i + 1)
        order[i], order[j] = order[j], order[i]
    return [filled(template, draw) for template in order]


def main():
    with open(sys.argv[1], "wb") as file:
        for texts in (WORDS, FRAGMENTS, templates()):
            file.write(struct.pack("<I", len(texts)))
            for text in texts:
                file.write(struct.pack("<I", len(text)) + text)


if __name__ == "__main__":
    main()
