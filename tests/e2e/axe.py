"""axe-core, and what of its findings counts."""

from __future__ import annotations

AXE = "axe-core@4.14.1"
# A contrast that axe cannot tell counts too, but for text that the page itself covers in part, and mere signs.
FINDINGS = """async () => {
    const { violations, incomplete } = await axe.run({ include: [['.jax-nbhelp']] });
    const excused = ['elmPartiallyObscured', 'shortTextContent', 'nonBmp'];
    const untold = incomplete.filter(one => one.id === 'color-contrast').map(one => ({
        ...one, nodes: one.nodes.filter(node => !excused.includes(node.any[0]?.data?.messageKey))
    }));
    return [...violations, ...untold].flatMap(({ id, nodes }) =>
        nodes.map(node => `${id}: ${node.html.slice(0, 200)}: ${node.any.map(one => one.message).join('; ')}`)
    );
}"""
